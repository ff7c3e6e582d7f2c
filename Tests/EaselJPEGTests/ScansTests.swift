import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJPEG

/// Pictures of several scans are read by Easel's own decoder, and by libjpeg-turbo if that gives up.
struct ScansTests {
  private static let changes: [@Sendable (inout EncodeOptions) -> Void] = [
    { $0.progressive = true }, { ($0.progressive, $0.chromaSubsampling) = (true, .full) },
    { ($0.progressive, $0.settings[.jpegRestarts]) = (true, true) },
    { ($0.progressive, $0.settings[.jpegEffort]) = (true, 3) },
  ]

  @Test(arguments: changes.indices)
  func aFileAndPiecesGiveWhatMemoryGives(change: Int) throws {
    let bytes = try Pictures.file(Image(Bitmap.waves(203, 155)), Self.changes[change])
    for size in [nil, PixelSize(width: 90, height: 90), PixelSize(width: 20, height: 20)] {
      let expected = try Pictures.decode(bytes) { $0.thumbnailSize = size }
      let pieces = try Pictures.inPieces(bytes, of: 411) { $0.thumbnailSize = size }.image
      #expect(pieces.bitmap == expected.bitmap && pieces.traits == expected.traits)
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("easel-scans-\(UUID().uuidString)")
      try bytes.data().write(to: path)
      defer { try? FileManager.default.removeItem(at: path) }
      let read = try Pictures.decode(ImageBytes(contentsOfFile: path.path)) { $0.thumbnailSize = size }
      #expect(read.bitmap == expected.bitmap && read.metadata == expected.metadata)
    }
  }

  /// The codes are damaged where libjpeg-turbo goes on, with a warning or without.
  @Test func damagedCodesGiveTheSameInPieces() throws {
    var random = SeededRandom(seed: 52)
    var parts = 0
    for _ in 0..<60 {
      let change = Self.changes[Int.random(in: 0..<Self.changes.count, using: &random)]
      var file = try Pictures.array(Pictures.file(Image(Bitmap.waves(90, 60)), change))
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        file[Int.random(in: 700..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      for damaged in DamagePolicy.allCases {
        let whole = try? Pictures.decode(ImageBytes(file)) { $0.damaged = damaged }
        let pieces = try? Pictures.inPieces(ImageBytes(file), of: 97) { $0.damaged = damaged }.image
        #expect(whole?.bitmap == pieces?.bitmap && whole?.traits == pieces?.traits)
        #expect(whole?.metadata == pieces?.metadata)
        if whole?.traits.contains(.partial) == true { parts += 1 }
      }
    }
    #expect(parts > 10)
  }

  /// Before its levels come, a picture of slow slopes is guessed from the means of its blocks.
  @Test func theFirstPreviewOfAllRowsIsSmooth() throws {
    let slope = try Bitmap(256, 256, .opaqueRGBA8) { x, y in [x, y, (x + y) / 2, 255] }
    let bytes = try Pictures.file(Image(slope)) { $0.progressive = true }
    let whole = try Pictures.decode(bytes).bitmap
    let previews = try Pictures.inPieces(bytes, of: 40).previews
    let first = try #require(previews.first { $0.bitmap.format == .opaqueRGBA8 }).bitmap
    // Blocks of one colour would differ by four on the whole.
    #expect(first.signalToNoise(against: whole) > 44)
  }
}
