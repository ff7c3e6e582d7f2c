import EaselCore
import EaselHelpers
import EaselSandbox
import FamilyTesting
import Foundation
import Testing

/// The program and its card.
@Suite(.serialized)
struct ProgramTests {
  @Test func theCardIsRead() {
    #expect(pdf.cards.mistakes.isEmpty, "\(pdf.cards.mistakes)")
    #expect(pdf.cards.cards.map(\.coder) == ["pdf"])
    #expect(pdf.cards.cards.first?.formats.map(\.mimeType) == ["application/pdf"])
  }

  @Test func theProgramHasEveryLayerOfProtection() throws {
    var configuration = Sandbox.Configuration()
    configuration.program = pdf.program
    #expect(try Sandbox(configuration).start().contains(.callFilter))
    try pdf.helpers.start()
  }

  @Test func whoStartsItByHandIsToldWhatItIs() throws {
    let outcome = try Maker.run([pdf.program])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("easel convert document.pdf"))
  }

  @Test func bytesBeforeTheDocumentDoNotMatter() throws {
    let document = Document.page("0 0 72 72 re f").data
    #expect(try pdf.image(Data("noise\n".utf8) + document).size == PixelSize(width: 150, height: 150))
    let other = #expect(throws: ImageError.self) { try pdf.image(Data("no document".utf8)) }
    #expect(other?.code == .unsupportedFormat)
  }

  @Test func aDocumentThatIsCutIsDrawnOrRefused() throws {
    let document = Document.page("0 0 72 72 re f").data
    for count in stride(from: 5, to: document.count, by: 23) {
      guard let error = pdf.error(document.prefix(count)) else { continue }
      #expect(error.code == .badImageData && error.message.hasPrefix("PDF: "), "\(error)")
    }
  }
}
