import CEaselPNG
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselPNG

/// The choice between looking for all repetitions and looking for runs only.
struct CompressionChoiceTests {
  /// Slopes with grain, as photographs have.
  private func photograph(_ width: Int, _ height: Int) throws -> Bitmap {
    var state: UInt64 = 7
    return try picture(width, height) { x, y, channel in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: 40 + (x + y * (channel + 1)) / 9 + Int(state >> 58))
    }
  }

  /// A pattern that repeats, as drawings and letters do.
  private func drawing(_ width: Int, _ height: Int) throws -> Bitmap {
    try picture(width, height) { x, y, channel in
      UInt8(truncatingIfNeeded: (x % 37 * 7919 + y % 11 * 104_729 + channel * 31) >> 3)
    }
  }

  private func picture(
    _ width: Int, _ height: Int, _ value: (_ x: Int, _ y: Int, _ channel: Int) -> UInt8
  ) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          for channel in 0..<3 { bytes[y * bytesPerRow + 4 * x + channel] = value(x, y, channel) }
          bytes[y * bytesPerRow + 4 * x + 3] = 255
        }
      }
    }
    return bitmap
  }

  /// The size of the file that libpng writes.
  private func plainSize(of bitmap: Bitmap, level: Int, findsRunsOnly: Bool = false) throws -> Int {
    var layout = easel_png_layout()
    (layout.width, layout.height) = (UInt32(bitmap.width), UInt32(bitmap.height))
    (layout.bit_depth, layout.color_type) = (8, 2)
    var made: OpaquePointer?
    #expect(easel_png_writer_create(&layout, Int32(level), findsRunsOnly, &made) == EASEL_PNG_OK)
    let writer = try #require(made)
    defer { easel_png_writer_destroy(writer) }
    bitmap.withUnsafeBytes {
      _ = easel_png_writer_add_rows(writer, $0.baseAddress, bitmap.bytesPerRow, bitmap.height)
    }
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    #expect(easel_png_writer_finish(writer, &bytes, &count) == EASEL_PNG_OK)
    return count
  }

  private func encoded(_ bitmap: Bitmap, level: Int) throws -> ImageBytes {
    var options = EncodeOptions()
    options.compressionLevel = level
    let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: options, work: WorkContext())
    let read = try PNGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(read.bitmap == bitmap)
    return bytes
  }

  @Test(arguments: [4, 6, 9], [(300, 200), (64, 64), (1000, 65)])
  func aPhotographIsNoLargerThanWithAllRepetitions(level: Int, size: (Int, Int)) throws {
    let bitmap = try photograph(size.0, size.1)
    let count = try encoded(bitmap, level: level).count
    #expect(count <= (try plainSize(of: bitmap, level: level)))
    #expect(try count == plainSize(of: bitmap, level: level, findsRunsOnly: true))
  }

  @Test(arguments: [1, 4, 6, 9]) func aDrawingIsSearchedForAllRepetitions(level: Int) throws {
    let bitmap = try drawing(300, 200)
    let count = try encoded(bitmap, level: level).count
    #expect(try count == plainSize(of: bitmap, level: level))
    #expect(try count * 2 < plainSize(of: bitmap, level: level, findsRunsOnly: true))
  }

  @Test(arguments: [(300, 63), (1, 1), (60_000, 2)]) func aSmallPictureIsNotSampled(size: (Int, Int)) throws {
    let bitmap = try photograph(size.0, size.1)
    #expect(try encoded(bitmap, level: 6).count == plainSize(of: bitmap, level: 6))
  }

  @Test func withoutCompressionThereIsNoChoice() throws {
    let bitmap = try photograph(100, 100)
    #expect(try encoded(bitmap, level: 0).count == plainSize(of: bitmap, level: 0))
  }
}
