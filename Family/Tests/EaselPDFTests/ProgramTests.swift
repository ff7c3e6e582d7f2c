import EaselCore
import EaselHelpers
import EaselSandbox
import Foundation
import Testing

/// The program and its card.
@Suite(.serialized)
struct ProgramTests {
  @Test func theCardIsRead() {
    #expect(Drawer.cards.mistakes.isEmpty, "\(Drawer.cards.mistakes)")
    #expect(Drawer.cards.cards.map(\.coder) == ["pdf"])
    #expect(Drawer.cards.cards.first?.formats.map(\.mimeType) == ["application/pdf"])
  }

  @Test func theProgramHasEveryLayerOfProtection() throws {
    var configuration = Sandbox.Configuration()
    configuration.program = Drawer.program
    #expect(try Sandbox(configuration).start().contains(.callFilter))
    try Drawer.helpers.start()
  }

  @Test func whoStartsItByHandIsToldWhatItIs() throws {
    let outcome = try Maker.run([Drawer.program])
    #expect(outcome.status == 2 && outcome.output.isEmpty)
    #expect(outcome.errors.contains("easel convert document.pdf"))
  }

  @Test func bytesBeforeTheDocumentDoNotMatter() throws {
    let document = Document.page("0 0 72 72 re f").data
    #expect(try Drawer.image(Data("noise\n".utf8) + document).size == PixelSize(width: 150, height: 150))
    let other = #expect(throws: ImageError.self) { try Drawer.image(Data("no document".utf8)) }
    #expect(other?.code == .unsupportedFormat)
  }

  @Test func aDocumentThatIsCutIsDrawnOrRefused() throws {
    let document = Document.page("0 0 72 72 re f").data
    for count in stride(from: 5, to: document.count, by: 23) {
      guard let error = Drawer.error(document.prefix(count)) else { continue }
      #expect(error.code == .badImageData && error.message.hasPrefix("PDF: "), "\(error)")
    }
  }
}
