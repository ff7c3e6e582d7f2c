import CEaselWebP
import CEaselWebPBaseline
import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselWebP

/// Planes made smaller give the pixels of libwebp's own scaler.
struct ShrinkingTests {
  private typealias T = WebPTesting

  /// Noise on a slope, with hard edges: all levels of light and colours.
  private static func picture(_ width: Int, _ height: Int) throws -> Bitmap {
    let noise = try Bitmap.noise(width, height, .opaqueRGBA8)
    return try Bitmap(width, height, .opaqueRGBA8) { x, y in
      let pixel = noise.components(x, y)
      if (x / 9 + y / 7) % 5 == 0 { return [pixel[0] & 1 * 255, 255, pixel[2] & 7, 255] }
      return [(pixel[0] >> 3) + (x + y) % 224, pixel[1], (pixel[2] >> 2) + (2 * x) % 192, 255]
    }
  }

  private static func file(_ bitmap: Bitmap) throws -> [UInt8] {
    try T.encode(Image(bitmap)) { $0.quality = 0.7 }.array
  }

  private static func scaledByLibwebp(_ file: [UInt8], to size: PixelSize) throws -> Bitmap {
    var result = try Bitmap(size: size, format: .opaqueRGBA8)
    let isDecoded = result.withUnsafeMutableBytes {
      easel_baseline_decode_webp(file, file.count, $0.baseAddress, Int32(size.width), Int32(size.height), 1, 0)
    }
    #expect(isDecoded)
    return result
  }

  /// Decodes to planes in pieces that all begin at the start of the memory, and makes each smaller.
  private static func shrunken(
    _ file: [UInt8], of source: PixelSize, to size: PixelSize, pieces: Int, isPlain: Bool = false
  ) throws -> Bitmap {
    let planes = easel_webp_planes_of(UInt32(source.width), UInt32(source.height))
    var output = easel_webp_output(
      width: UInt32(source.width), height: UInt32(source.height), is_scaled: false, uses_threads: false,
      is_planar: true)
    var decoder: OpaquePointer?
    try #require(easel_webp_decoder_create(&output, &decoder) == EASEL_WEBP_OK)
    defer { easel_webp_decoder_destroy(decoder) }
    let shrinker = try #require(WebPShrinker(from: source, to: size, isPlain: isPlain))
    // Memory of exactly this size, so that AddressSanitizer sees what is behind its ends.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: planes.bytes, alignment: 64)
    defer { memory.deallocate() }
    var pixels: [UInt8] = []
    var (fed, taken, status) = (0, 0, EASEL_WEBP_NEEDS_MORE)
    while fed < file.count && status == EASEL_WEBP_NEEDS_MORE {
      fed = min(file.count, fed + file.count / pieces + 1)
      status = easel_webp_decoder_feed(decoder, file, fed, memory - taken * planes.stride, planes.stride)
      let rows = Int(easel_webp_decoder_rows(decoder))
      try shrinker.shrink(memory, count: rows - taken) { row throws(ImageError) in pixels += row }
      taken = rows
    }
    #expect(status == EASEL_WEBP_OK && taken == source.height && pixels.count == size.area * 4)
    return try Bitmap(size.width, size.height, .opaqueRGBA8) { x, y in
      pixels[(y * size.width + x) * 4..<(y * size.width + x) * 4 + 4].map(Int.init)
    }
  }

  @Test(arguments: [
    // Even and odd sides, also of a width that is a multiple of eight or shorter.
    (640, 480, 160, 120), (641, 481, 160, 120), (639, 479, 159, 119), (97, 61, 13, 9), (33, 31, 7, 5),
    // As large as colours are, and a little smaller.
    (320, 200, 160, 100), (321, 201, 161, 101), (321, 201, 160, 100), (319, 199, 157, 99), (12, 12, 6, 6),
    // Boxes of eight samples, of nine, of many, and of whole blocks of them.
    (640, 160, 80, 20), (640, 160, 79, 20), (640, 160, 40, 11), (900, 40, 53, 5), (512, 64, 16, 3), (1000, 33, 3, 2),
    // One row, one column, one pixel, and sides as long as the format allows.
    (300, 200, 60, 1), (300, 200, 1, 60), (300, 200, 1, 1), (9, 7, 2, 2), (16383, 20, 960, 4), (20, 16383, 4, 8000),
    // Ratios that differ.
    (1200, 90, 111, 44), (90, 1200, 44, 111),
  ])
  func pixelsAreThoseOfLibwebp(width: Int, height: Int, smallWidth: Int, smallHeight: Int) throws {
    let (source, size) = (PixelSize(width: width, height: height), PixelSize(width: smallWidth, height: smallHeight))
    let file = try Self.file(Self.picture(width, height))
    let expected = try Self.scaledByLibwebp(file, to: size)
    for pieces in [1, 5] {
      #expect(try Self.shrunken(file, of: source, to: size, pieces: pieces) == expected)
    }
    #if !arch(arm64)  // There libwebp itself rounds a little differently in vectors.
      #expect(try Self.shrunken(file, of: source, to: size, pieces: 1, isPlain: true) == expected)
    #endif
  }

  /// Widths one after another, so that each remainder and each ratio from two to twenty occurs.
  @Test func allWidthsGiveThePixelsOfLibwebp() throws {
    let source = PixelSize(width: 203, height: 50)
    let file = try Self.file(Self.picture(source.width, source.height))
    for width in 10...102 {
      let size = PixelSize(width: width, height: 1 + width % 25)
      let isEqual =
        try Self.shrunken(file, of: source, to: size, pieces: 2) == Self.scaledByLibwebp(file, to: size)
      #expect(isEqual, "\(size)")
    }
  }

  @Test func onlySmallerSizesSuit() {
    #expect(easel_webp_can_shrink(400, 300, 200, 150))
    #expect(easel_webp_can_shrink(401, 301, 201, 151))
    #expect(!easel_webp_can_shrink(400, 300, 201, 150))
    #expect(!easel_webp_can_shrink(400, 300, 200, 151))
    // libwebp would smooth the borders of blocks.
    #expect(!easel_webp_can_shrink(5, 40, 3, 10))
    #expect(!easel_webp_can_shrink(40, 3, 10, 2))
    // Sums would be too large.
    #expect(!easel_webp_can_shrink(16383, 16383, 100, 1))
    #expect(!easel_webp_can_shrink(1, 1, 1, 1))
    #expect(!easel_webp_can_shrink(400, 300, 0, 10))
    #expect(!easel_webp_can_shrink(400, 300, 10, 0))
    #expect(!easel_webp_can_shrink(0, 0, 1, 1))
    #expect(!easel_webp_can_shrink(16384, 300, 200, 150))
    #expect(!easel_webp_can_shrink(.max, .max, .max, .max))
    var shrinker: OpaquePointer?
    #expect(easel_webp_shrinker_create(400, 300, 201, 150, &shrinker) == EASEL_WEBP_BAD_DATA && shrinker == nil)
  }

  @Test(arguments: [(1001, 803, 97), (1600, 1000, 200), (900, 1501, 40)])
  func thumbnailsAreThoseOfPixelsScaledByLibwebp(width: Int, height: Int, side: Int) throws {
    let bitmap = try Self.picture(width, height)
    let file = try Self.file(bitmap)
    let small = bitmap.size.thumbnail(in: PixelSize(width: side, height: side))
    let size = PixelSize(width: small.width * 3, height: small.height * 3)
    let frame = try #require(T.scan(file).first)
    #expect(WebPPlaneReduction.suits(frame, scaledTo: size))
    let expected = try Self.scaledByLibwebp(file, to: size).resized(to: small)
    let change: (inout DecodeOptions) -> Void = {
      ($0.thumbnailSize, $0.fidelity) = (PixelSize(width: side, height: side), .fast)
    }
    #expect(try T.decode(ImageBytes(file), change).bitmap == expected)
    #expect(try T.inFile(file) { try T.decode($0, change).bitmap } == expected)
    // These scale in libwebp, because they may be shown in part.
    #expect(try T.decodeInPieces(file, of: file.count / 5, change).bitmap == expected)
    let partly = try T.decode(ImageBytes(file)) {
      change(&$0)
      $0.damaged = .show
    }
    #expect(partly.bitmap == expected)
  }

  /// Some of the pictures come in pieces that a second thread makes smaller, others are too small for that.
  @Test(arguments: [false, true], [(1600, 1200), (400, 301)])
  func aSecondThreadGivesTheSameThumbnail(mayUseThread: Bool, source: (Int, Int)) throws {
    let bitmap = try Self.picture(source.0, source.1)
    let file = try Self.file(bitmap)
    let small = bitmap.size.thumbnail(in: PixelSize(width: 60, height: 60))
    let size = PixelSize(width: small.width * 3, height: small.height * 3)
    let reduction = try WebPPlaneReduction(
      from: bitmap.size, through: size, to: small, averagesLight: true, format: .opaqueRGBA8, mayUseThread: mayUseThread
    )
    let frame = try #require(T.scan(file).first)
    let feeder = try WebPFeeder(
      frame, size: size, hasAlpha: false, isGradual: false, isPlanar: true, portions: max(5, reduction.portions))
    try feeder.advance(
      over: ImageBytes(file), isWhole: true, bytesPerRow: reduction.bytesPerRow, work: WorkContext()
    ) { () throws(ImageError) in
      try reduction.take(upTo: feeder.rows)
      return reduction.target
    }
    try reduction.take(upTo: feeder.rows)
    #expect(feeder.isComplete && feeder.rows == bitmap.height)
    #expect(try reduction.finish() == Self.scaledByLibwebp(file, to: size).resized(to: small, linearLight: true))
  }

  @Test func alphaAndPicturesWithoutLossDoNotSuit() throws {
    let size = PixelSize(width: 60, height: 45)
    let opaque = try Bitmap.waves(400, 300)
    for (bitmap, isLossless, suits) in [
      (opaque, false, true), (opaque, true, false), (try T.softAlpha(400, 300), false, false),
    ] {
      let file = try T.encode(Image(bitmap)) { $0.lossless = isLossless }.array
      #expect(WebPPlaneReduction.suits(try #require(T.scan(file).first), scaledTo: size) == suits)
    }
  }

  /// A file whose size changes while it is read must not be taken for a complete picture.
  @Test(arguments: [(400, 290), (390, 300), (410, 300), (400, 310)])
  func anotherSizeThanExpectedIsDamage(width: Int, height: Int) throws {
    let file = try Self.file(Self.picture(width, height))
    let planes = easel_webp_planes_of(400, 300)
    var output = easel_webp_output(width: 400, height: 300, is_scaled: false, uses_threads: false, is_planar: true)
    var decoder: OpaquePointer?
    try #require(easel_webp_decoder_create(&output, &decoder) == EASEL_WEBP_OK)
    defer { easel_webp_decoder_destroy(decoder) }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: planes.bytes, alignment: 64)
    defer { memory.deallocate() }
    #expect(easel_webp_decoder_feed(decoder, file, file.count, memory, planes.stride) == EASEL_WEBP_BAD_DATA)
  }
}
