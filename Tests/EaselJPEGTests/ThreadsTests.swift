import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJPEG

/// A second thread reads codes ahead, and changes nothing.
struct ThreadsTests {
  private static let changes: [@Sendable (inout EncodeOptions) -> Void] = [
    { _ in }, { $0.chromaSubsampling = .full }, { $0.settings[.jpegRestarts] = true },
    { ($0.settings[.jpegRestarts], $0.quality) = (true, 0.4) }, { $0.progressive = true },
    { ($0.progressive, $0.settings[.jpegEffort]) = (true, 3) },
  ]

  private func decode(_ bytes: ImageBytes, _ options: DecodeOptions, threads: Int) throws -> Image {
    let work = WorkContext()
    let picture = try JPEGImage(
      JPEGScanner.file(in: bytes, work: work), of: bytes, options: options, limits: work.limits)
    let reader = try picture.makeReader(threads: threads)
    try reader.advance(over: bytes, isWhole: true, work: work)
    return try picture.image(from: reader, of: bytes, work: work)
  }

  private func compare(_ bytes: ImageBytes, _ options: DecodeOptions) {
    let one = try? decode(bytes, options, threads: 1)
    let two = try? decode(bytes, options, threads: 2)
    #expect(one?.bitmap == two?.bitmap && one?.traits == two?.traits && one?.metadata == two?.metadata)
  }

  @Test(arguments: changes.indices)
  func twoThreadsMakeThePixelsOfOne(change: Int) throws {
    let bytes = try Pictures.file(Image(Bitmap.waves(603, 455)), Self.changes[change])
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("easel-threads-\(UUID().uuidString)")
    try bytes.data().write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    for size in [nil, PixelSize(width: 200, height: 200), PixelSize(width: 40, height: 40)] {
      var options = DecodeOptions()
      options.thumbnailSize = size
      #expect(throws: Never.self) { try decode(bytes, options, threads: 2) }
      compare(bytes, options)
      compare(try ImageBytes(contentsOfFile: path.path), options)
    }
  }

  @Test(arguments: [
    (4000, 3000, 2_500_000, true), (4000, 3000, 700_000, false), (1600, 1250, 300_000, true),
    (1600, 1250, 150_000, false), (600, 400, 200_000, true), (30_000, 30_000, 3_000_000, false),
  ])
  func filesOfManyBytesAreReadByTwo(width: Int, height: Int, byteCount: Int, expected: Bool) {
    #expect(JPEGCoder.suitsTwoThreads(PixelSize(width: width, height: height), byteCount: byteCount) == expected)
  }

  /// The steps in which a file is fed end within its codes.
  @Test func aFileOfManyStepsIsReadToItsEnd() throws {
    let noise = try Bitmap(900, 700, .opaqueRGBA8) { x, y in
      let value = (x &* 7919 ^ y &* 104_729) &* 31
      return [value & 255, value >> 3 & 255, value >> 5 & 255, 255]
    }
    for restarts in [false, true] {
      let bytes = try Pictures.file(Image(noise)) { ($0.quality, $0.settings[.jpegRestarts]) = (1, restarts) }
      #expect(bytes.count > 512 << 10)
      compare(bytes, DecodeOptions())
    }
  }

  @Test func damagedFilesGiveTheSame() throws {
    var random = SeededRandom(seed: 53)
    for _ in 0..<60 {
      let change = Self.changes[Int.random(in: 0..<Self.changes.count, using: &random)]
      var file = try Pictures.array(Pictures.file(Image(Bitmap.waves(120, 90)), change))
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        file[Int.random(in: 700..<file.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { file.removeLast(Int.random(in: 1...file.count / 2, using: &random)) }
      var options = DecodeOptions()
      for damaged in DamagePolicy.allCases {
        options.damaged = damaged
        compare(ImageBytes(file), options)
      }
    }
  }
}
