import CEaselWebPBaseline
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

struct ThumbnailTests {
  private typealias T = WebPTesting

  /// A thumbnail, and the same one made from all pixels.
  private func thumbnails(
    _ bitmap: Bitmap, isLossless: Bool, in box: PixelSize, aspect: Bool = true
  ) throws -> (Bitmap, Bitmap) {
    let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }
    let small = try T.decode(bytes) {
      $0.thumbnailSize = box
      $0.preservesAspectRatio = aspect
    }
    #expect(small.traits == .thumbnail)
    return (small.bitmap, try T.decode(bytes).bitmap.resized(to: small.size, linearLight: true))
  }

  @Test(arguments: [false, true], [(50, 50), (33, 100), (7, 5), (100, 60)])
  func aThumbnailIsNearToOneOfAllPixels(isLossless: Bool, box: (Int, Int)) throws {
    let size = PixelSize(width: box.0, height: box.1)
    let (small, expected) = try thumbnails(Bitmap.waves(400, 300), isLossless: isLossless, in: size)
    #expect(small.size == PixelSize(width: 400, height: 300).thumbnail(in: size))
    #expect(small.signalToNoise(against: expected) > 40)
  }

  /// The pictures are so large that their rows come in several pieces.
  @Test(arguments: [false, true], [false, true])
  func rowsReducedAsTheyComeAreThoseOfTheWholePicture(isLossless: Bool, hasAlpha: Bool) throws {
    let bitmap = hasAlpha ? try T.softAlpha(1000, 800) : try Bitmap.waves(1000, 800)
    let bytes = try T.encode(Image(bitmap)) {
      $0.lossless = isLossless
      $0.compressionLevel = 0
    }
    let array = try bytes.array
    for side in [300, 510] {
      let box = PixelSize(width: side, height: side)
      var options = DecodeOptions()
      options.thumbnailSize = box
      var scanner = WebPScanner(limits: Limits())
      try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
      let size = WebPImage(try #require(scanner.file), options: options).readSize
      var whole = try Bitmap(size: size, format: bitmap.format)
      let isDecoded = whole.withUnsafeMutableBytes {
        easel_baseline_decode_webp(
          array, array.count, $0.baseAddress, Int32(size.width), Int32(size.height), size == bitmap.size ? 0 : 1, 0)
      }
      #expect(isDecoded && size.area * 4 > 2 * WebPRowReduction.bytesPerPiece)
      let expected = try whole.resized(to: bitmap.size.thumbnail(in: box), linearLight: true)
      #expect(try T.decode(bytes) { $0.thumbnailSize = box }.bitmap == expected)
      #expect(try T.decodeInPieces(array, of: array.count / 5) { $0.thumbnailSize = box }.bitmap == expected)
      let ofFile = try T.inFile(array) { try T.decode($0) { $0.thumbnailSize = box }.bitmap }
      #expect(ofFile == expected)
    }
  }

  @Test func eachPieceOfRowsTakesTheSameMemory() throws {
    let bitmap = try Bitmap.noise(40, 30, .rgba8)
    let reduction = try WebPRowReduction(
      from: bitmap.size, to: PixelSize(width: 12, height: 9), averagesLight: true, format: .rgba8)
    let start = reduction.target
    for rows in [0..<7, 7..<7, 7..<8, 8..<23, 23..<30] {
      #expect(reduction.target + rows.lowerBound * reduction.bytesPerRow == start)
      bitmap.withUnsafeBytes { pixels in
        for row in rows {
          (reduction.target + row * reduction.bytesPerRow).copyMemory(
            from: pixels.baseAddress! + row * bitmap.bytesPerRow, byteCount: reduction.bytesPerRow)
        }
      }
      try reduction.take(upTo: rows.upperBound)
    }
    #expect(try reduction.finish() == bitmap.resized(to: PixelSize(width: 12, height: 9), linearLight: true))
  }

  /// libwebp holds the bytes of a file itself, as long as it needs them.
  @Test(arguments: [nil, 200, 60])
  func aCutOrDamagedFileIsAnErrorAsInMemory(side: Int?) throws {
    let bytes = try T.encode(Image(Bitmap.noise(700, 600, .opaqueRGBA8))).array
    var damaged = bytes
    damaged[22] ^= 0xFF
    for spoilt in [Array(bytes.prefix(bytes.count - 1000)), Array(bytes.prefix(bytes.count / 2)), damaged] {
      let change: (inout DecodeOptions) -> Void = { options in
        if let side { options.thumbnailSize = PixelSize(width: side, height: side) }
      }
      let error = #expect(throws: ImageError.self) { try T.decode(ImageBytes(spoilt), change) }
      let other = #expect(throws: ImageError.self) { try T.inFile(spoilt) { try T.decode($0, change) } }
      #expect(other?.code == .badImageData && other?.message == error?.message)
    }
  }

  @Test func oneThatIsNotMuchSmallerIsMadeOfAllPixels() throws {
    let (small, expected) = try thumbnails(
      Bitmap.waves(400, 300), isLossless: false, in: PixelSize(width: 300, height: 300))
    #expect(small == expected)
  }

  @Test func theRatioNeedNotBeKept() throws {
    let (small, expected) = try thumbnails(
      Bitmap.waves(400, 300), isLossless: false, in: PixelSize(width: 40, height: 100), aspect: false)
    #expect(small.size == PixelSize(width: 40, height: 100))
    #expect(small.signalToNoise(against: expected) > 35)
  }

  @Test(arguments: [false, true])
  func whatIsTransparentDoesNotBleed(isLossless: Bool) throws {
    // Red stripes on transparent green; libwebp would mix the two colours.
    let bitmap = try Bitmap(240, 240, .rgba8) { x, _ in x / 7 % 2 == 0 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
    let bytes = try T.encode(Image(bitmap), T.lossless)
    let full = isLossless ? bytes : try T.encode(Image(bitmap)) { $0.quality = 1 }
    let small = try T.decode(full) { $0.thumbnailSize = PixelSize(width: 31, height: 31) }.bitmap
    for x in 0..<31 where small.components(x, 15)[3] > 40 {
      #expect(small.components(x, 15)[1] < (isLossless ? 12 : 60), "column \(x): \(small.components(x, 15))")
    }
  }

  @Test(arguments: [1, 3, 85, 128, 254])
  func aUniformPictureKeepsItsColour(alpha: Int) throws {
    let color = PixelColor(red: 85, green: 1, blue: 254, alpha: UInt8(alpha))
    let bytes = try T.encode(Image(Bitmap(300, 200, color)), T.lossless)
    let small = try T.decode(bytes) { $0.thumbnailSize = PixelSize(width: 30, height: 30) }.bitmap
    #expect(try small == Bitmap(30, 20, color))
  }

  @Test func aThumbnailOfALossyPictureHoldsFewPixels() throws {
    let bytes = try T.encode(Image(Bitmap.waves(600, 400)))
    var scanner = WebPScanner(limits: Limits())
    try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 60, height: 60)
    let picture = WebPImage(try #require(scanner.file), options: options)
    #expect(picture.readSize == PixelSize(width: 300, height: 200))
    options.fidelity = .fast
    #expect(WebPImage(try #require(scanner.file), options: options).readSize == PixelSize(width: 180, height: 120))
    options.fidelity = .exact
    #expect(WebPImage(try #require(scanner.file), options: options).readSize == PixelSize(width: 600, height: 400))
    #expect(picture.finish.storedTarget == PixelSize(width: 60, height: 40))
  }
}
