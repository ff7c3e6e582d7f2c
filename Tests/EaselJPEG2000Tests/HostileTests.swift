import EaselCore
import EaselTestPixels
import Foundation
import Testing

@testable import EaselJPEG2000

struct HostileTests {
  private let coder = JPEG2000Coder()

  private func failure(
    _ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions(), limits: Limits = Limits()
  ) -> ImageError? {
    do {
      _ = try coder.decode(ImageBytes(bytes), options: options, work: WorkContext(limits: limits))
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// The codestream of colours with other numbers in its header.
  private func changed(_ changes: [(offset: Int, value: Int, count: Int)]) -> [UInt8] {
    var bytes = Codestreams.colors
    for change in changes {
      bytes.replaceSubrange(
        change.offset..<change.offset + change.count, with: HandmadeJP2.number(change.value, change.count))
    }
    return bytes
  }

  @Test(
    arguments: [
      // Sizes beyond the limits, and without pixels.
      ([(8, 70_000, 4)], ImageError.Code.limitExceeded, "70000"),
      ([(8, 60_000, 4), (12, 60_000, 4)], .limitExceeded, "60000x60000"),
      ([(8, 0, 4)], .badImageData, "cannot be"), ([(16, 16, 4)], .badImageData, "cannot be"),
      // Tiles without size, before the picture, and more of them than is good for the memory.
      ([(24, 0, 4)], .badImageData, "cannot be"), ([(32, 1, 4)], .badImageData, "cannot be"),
      ([(8, 2000, 4), (12, 30, 4), (24, 1, 4), (28, 1, 4)], .limitExceeded, "60000 tiles"),
      ([(8, 9000, 4), (12, 9000, 4), (24, 1, 4), (28, 1, 4)], .badImageData, "more tiles than 65535"),
      // Components: none, too many, of too many bits, without samples.
      ([(40, 0, 2)], .badImageData, "cannot be"), ([(40, 9, 2)], .unsupportedFormat, "9 components"),
      ([(42, 37, 1)], .unsupportedFormat, "31 bits"), ([(43, 0, 1)], .badImageData, "without samples"),
      // A segment of no length, and one that goes beyond the file.
      ([(53, 0, 2)], .badImageData, "segment of 0 bytes"), ([(53, 60_000, 2)], .badImageData, "within its header"),
    ] as [([(Int, Int, Int)], ImageError.Code, String)])
  func headersThatCannotBeAreErrors(_ changes: [(Int, Int, Int)], _ code: ImageError.Code, _ part: String) {
    let error = failure(changed(changes.map { ($0.0, $0.1, $0.2) }))
    #expect(error?.code == code && error?.message.contains(part) == true, "\(error?.message ?? "none")")
  }

  @Test func cutAnywhereNoFileLooksWhole() throws {
    for whole in [HandmadeJP2(stream: Codestreams.colorsAndAlpha).bytes, Codestreams.tiles] {
      for count in 0..<whole.count {
        let cut = Array(whole.prefix(count))
        let error = failure(cut)
        #expect(error != nil && error?.code != .limitExceeded, "\(count)")
        let image = try? coder.decode(ImageBytes(cut), options: DecodeOptions(damaged: .show), work: WorkContext())
        if let image { #expect(image.traits.contains(.partial) && image.metadata.notes.count == 1, "\(count)") }
      }
    }
  }

  @Test func whatIsThereOfACutFileIsShownWhereThatIsWanted() throws {
    let cut = Array(Codestreams.tiles.dropLast(150))
    #expect(failure(cut)?.message.contains("OpenJPEG") == true)
    let image = try coder.decode(ImageBytes(cut), options: DecodeOptions(damaged: .show), work: WorkContext())
    #expect(image.traits == .partial && image.bitmap.components(3, 4) == [18, 40, 64, 255])
  }

  @Test func boxesThatCannotBeAreErrors() {
    let whole = HandmadeJP2(stream: Codestreams.colors).bytes
    let start = Array(whole.prefix(12))
    #expect(failure(start)?.message.contains("no codestream") == true)
    #expect(failure(start + [0, 0, 0, 7] + Array("ftyp".utf8) + whole)?.code == .badImageData)
    let endless = [0, 0, 0, 1] + Array("jp2h".utf8) + [UInt8](repeating: 255, count: 8)
    #expect(failure(start + endless)?.code == .badImageData)
    #expect(failure(start + HandmadeJP2.box("jp2c", []))?.code == .badImageData)
    var limits = Limits()
    limits.metadataBytes = 1000
    let profile = HandmadeJP2.profile([UInt8](repeating: 1, count: 2000))
    let large = HandmadeJP2(stream: Codestreams.colors, boxes: [profile])
    #expect(failure(large.bytes, limits: limits)?.code == .limitExceeded)
  }

  @Test func nothingThatOpenJPEGSaysIsPrinted() throws {
    // Its words are in the error instead, in one line.
    let error = try #require(failure(Array(Codestreams.colors.dropLast(3))))
    #expect(error.message.contains("(OpenJPEG: ") && !error.message.contains("\n"))
  }
}
