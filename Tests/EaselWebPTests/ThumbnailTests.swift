import EaselCore
import EaselPixels
import EaselTestPixels
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
    return (small.bitmap, try T.decode(bytes).bitmap.resized(to: small.size))
  }

  @Test(arguments: [false, true], [(50, 50), (33, 100), (7, 5), (100, 60)])
  func aThumbnailIsNearToOneOfAllPixels(isLossless: Bool, box: (Int, Int)) throws {
    let size = PixelSize(width: box.0, height: box.1)
    let (small, expected) = try thumbnails(Bitmap.waves(400, 300), isLossless: isLossless, in: size)
    #expect(small.size == PixelSize(width: 400, height: 300).thumbnail(in: size))
    #expect(small.signalToNoise(against: expected) > 40)
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

  @Test func aThumbnailOfALossyPictureHoldsFewPixels() throws {
    let bytes = try T.encode(Image(Bitmap.waves(600, 400)))
    var scanner = WebPScanner(limits: Limits())
    try scanner.advance(over: bytes, isWhole: true, work: WorkContext())
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 60, height: 60)
    let picture = WebPPicture(try #require(scanner.file), options: options)
    #expect(picture.readSize == PixelSize(width: 180, height: 120))
    #expect(picture.finish.storedTarget == PixelSize(width: 60, height: 40))
  }

  @Test func scalingDownByBytesBinds() throws {
    let bytes = try T.encode(Image(Bitmap.waves(64, 64)))
    let image = try T.decode(bytes) { $0.scaleDownLimitBytes = 4 * 20 * 20 }
    #expect(image.size == PixelSize(width: 20, height: 20))
  }
}
