import CEaselCodecBaseline
import CEaselPNG
import EaselCore
import EaselSupport
import EaselTestPixels
import Glibc
import Testing

@testable import EaselPNG

/// The size of files, and the stream within them.
struct CompressionTests {
  enum Content: CaseIterable { case photograph, grayPhotograph, drawing, letters, flat, noise }

  /// Colours of which the lowest byte is red.
  private static func color(_ content: Content, _ x: Int, _ y: Int, _ noise: inout SeededRandom) -> UInt32 {
    let grain = UInt32(truncatingIfNeeded: noise.next())
    switch content {
    case .photograph:
      let base = UInt32(60 + (x + y) / 9 % 120)
      return base + (grain & 7) | (base + (grain >> 3 & 7)) << 8 | (base + (grain >> 6 & 7)) << 16
    case .grayPhotograph: return (UInt32(60 + (x * 3 + y) / 11 % 120) + (grain & 3)) * 0x1_0101
    case .drawing: return UInt32(truncatingIfNeeded: (x % 37 * 7919 + y % 11 * 104_729) >> 3) & 0xFF_FFFF
    case .letters: return y % 18 < 11 && (x / 7 &* 2_654_435_761 >> (x % 7 + y % 18)) & 1 == 1 ? 0x202020 : 0xF8F4F4
    case .flat: return x < 40 ? 0x112233 : 0xFFFFFF
    case .noise: return grain & 0xFF_FFFF
    }
  }

  private static func picture(_ content: Content, _ width: Int, _ height: Int) throws -> Bitmap {
    var noise = SeededRandom(seed: 7)
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .opaqueRGBA8)
    let bytesPerRow = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let pixel = color(content, x, y, &noise) | 0xFF00_0000
          bytes.storeBytes(of: pixel.littleEndian, toByteOffset: y * bytesPerRow + 4 * x, as: UInt32.self)
        }
      }
    }
    return bitmap
  }

  /// The number of bytes of the file that libpng writes.
  private func sizeByLibpng(_ bitmap: Bitmap, level: Int) throws -> Int {
    var file: UnsafeMutablePointer<UInt8>?
    var count = 0
    defer { free(file) }
    let pixels = bitmap.withUnsafeBytes { bytes in
      (0..<bitmap.height).flatMap { bytes[$0 * bitmap.bytesPerRow..<$0 * bitmap.bytesPerRow + 4 * bitmap.width] }
    }
    try #require(
      easel_baseline_encode_png(pixels, CInt(bitmap.width), CInt(bitmap.height), CInt(level), &file, &count))
    return count
  }

  private func encoded(_ bitmap: Bitmap, level: Int) throws -> ImageBytes {
    let options = EncodeOptions(compressionLevel: level)
    let bytes = try PNGCoder().encode(Image(bitmap), as: .png, options: options, work: WorkContext())
    let read = try PNGCoder().decode(bytes, options: DecodeOptions(), work: WorkContext())
    #expect(read.bitmap == bitmap)
    return bytes
  }

  /// The stream of a picture of RGBA pixels.
  private func stream(
    _ pixels: [UInt8], width: Int, height: Int, level: Int = 6, threads: Int32 = 1,
    context: UnsafeMutableRawPointer? = nil, mayGoOn: (@convention(c) (UnsafeMutableRawPointer?) -> Bool)? = nil
  ) -> (status: easel_png_status, pieces: [[UInt8]]) {
    var layout = easel_png_layout()
    (layout.width, layout.height, layout.bit_depth, layout.color_type) = (UInt32(width), UInt32(height), 8, 6)
    var stream = easel_png_stream()
    let status = easel_png_compress(&layout, pixels, 4 * width, Int32(level), threads, mayGoOn, context, &stream)
    defer { easel_png_stream_destroy(&stream) }
    let pieces = UnsafeBufferPointer(start: stream.pieces, count: stream.count)
    return (status, pieces.map { Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)) })
  }

  private func isInflated(_ pieces: [[UInt8]], to pixels: [UInt8], width: Int, height: Int) -> Bool {
    var layout = easel_png_layout()
    (layout.width, layout.height, layout.bit_depth, layout.color_type) = (UInt32(width), UInt32(height), 8, 6)
    let stream = pieces.flatMap { $0 }
    var filtered = [UInt8](repeating: 0, count: easel_png_filtered_row_bytes(&layout) * height)
    var read = [UInt8](repeating: 0, count: pixels.count)
    return easel_png_inflate(stream, stream.count, &filtered, filtered.count) == EASEL_PNG_OK
      && easel_png_expand_rows(&layout, &filtered, 0, UInt32(height), &read, 4 * width) == EASEL_PNG_OK
      && read == pixels
  }

  @Test(arguments: Content.allCases, [1, 4, 6, 9])
  func aFileIsNoLargerThanThatOfLibpng(content: Content, level: Int) throws {
    let bitmap = try Self.picture(content, 300, 200)
    #expect(try encoded(bitmap, level: level).count <= sizeByLibpng(bitmap, level: level))
  }

  @Test func aPatternThatRepeatsInBothDirectionsIsHardlyLargerInBands() throws {
    let bitmap = try Self.picture(.drawing, 1000, 900)
    // Each band has to begin anew.
    #expect(try encoded(bitmap, level: 6).count <= sizeByLibpng(bitmap, level: 6) * 21 / 20)
  }

  @Test(arguments: Content.allCases, [(1, 1), (2, 3), (700, 1), (1, 700), (30_000, 9), (511, 400)])
  func everyLevelKeepsThePixels(content: Content, size: (Int, Int)) throws {
    let bitmap = try Self.picture(content, size.0, size.1)
    for level in [0, 2, 5, 8] { _ = try encoded(bitmap, level: level) }
  }

  @Test func bandsFollowEachOtherInOneStream() throws {
    // Four bands: each is compressed in a way of its own.
    let contents: [Content] = [.photograph, .letters, .flat, .noise]
    let pixels = try contents.flatMap { try Self.picture($0, 512, 512).withUnsafeBytes(Array.init) }
    let one = stream(pixels, width: 512, height: 2048)
    #expect(one.status == EASEL_PNG_OK && one.pieces.count >= 4)
    #expect(isInflated(one.pieces, to: pixels, width: 512, height: 2048))
    for threads: Int32 in [0, 2, 3, 100] {
      #expect(stream(pixels, width: 512, height: 2048, threads: threads).pieces == one.pieces)
    }
  }

  @Test func bytesThatCannotBeCompressedAreStored() throws {
    var noise = SeededRandom(seed: 3)
    let pixels = (0..<4 * 600 * 300).map { _ in UInt8(truncatingIfNeeded: noise.next()) }
    for level in 0...9 {
      let pieces = stream(pixels, width: 600, height: 300, level: level).pieces
      #expect(pieces.reduce(0) { $0 + $1.count } < pixels.count + pixels.count / 1000)
      #expect(isInflated(pieces, to: pixels, width: 600, height: 300))
    }
  }

  @Test func noCodeIsLongerThanFifteenBits() {
    // The best code for counts that grow as fast as these has a code as long as there are values.
    var counts = [1, 1]
    while counts.count < 20 { counts.append(counts[counts.count - 1] + counts[counts.count - 2]) }
    var noise = SeededRandom(seed: 5)
    var bytes = counts.enumerated().flatMap { Array(repeating: UInt8($0.offset * 11), count: $0.element) }
    for index in bytes.indices.reversed() { bytes.swapAt(index, Int.random(in: 0...index, using: &noise)) }
    bytes += Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
    for level in [1, 6, 9] {
      let pieces = stream(bytes, width: bytes.count / 4, height: 1, level: level).pieces
      #expect(isInflated(pieces, to: bytes, width: bytes.count / 4, height: 1))
    }
  }

  @Test func workThatMayNotGoOnIsStopped() throws {
    let pixels = [UInt8](repeating: 9, count: 4 * 1000 * 1000)
    for threads: Int32 in [1, 2] {
      let stopped = stream(pixels, width: 1000, height: 1000, threads: threads) { _ in false }
      #expect(stopped.status == EASEL_PNG_STOPPED && stopped.pieces.isEmpty)
    }
  }

  /// A caller whose helper is quicker than itself would otherwise never ask.
  @Test func eachThreadAsksBeforeEachBand() throws {
    let pixels = [UInt8](repeating: 9, count: 4 * 1000 * 1000)
    for threads: Int32 in [1, 2, 3] {
      let looks = Locked(0)
      let whole = withUnsafePointer(to: looks) { looks in
        let context = UnsafeMutableRawPointer(mutating: looks)
        return stream(pixels, width: 1000, height: 1000, threads: threads, context: context) { context in
          context!.assumingMemoryBound(to: Locked<Int>.self).pointee.withLock { $0 += 1 }
          return true
        }
      }
      #expect(whole.status == EASEL_PNG_OK && whole.pieces.count >= 2)
      #expect(looks.withLock { $0 } > whole.pieces.count)
    }
  }

  @Test func withoutCompressionRowsAreStored() throws {
    let bitmap = try Self.picture(.flat, 300, 200)
    #expect(try encoded(bitmap, level: 0).count > 300 * 200 * 3)
    #expect(try encoded(bitmap, level: 0).count <= sizeByLibpng(bitmap, level: 0))
  }
}
