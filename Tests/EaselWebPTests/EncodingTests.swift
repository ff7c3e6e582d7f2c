import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

struct EncodingTests {
  private typealias T = WebPTesting

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8], [(1, 1), (7, 5), (64, 33), (301, 17)])
  func withoutLossEveryPixelComesBack(format: PixelFormat, size: (Int, Int)) throws {
    let bitmap = try Bitmap.noise(size.0, size.1, format)
    for effort in bitmap.size.area < 4000 ? [0, 6, 9] : [1] {
      let bytes = try T.encode(Image(bitmap)) {
        $0.lossless = true
        $0.compressionLevel = effort
      }
      #expect(try T.decode(bytes).bitmap == bitmap, "effort \(effort)")
    }
  }

  @Test func coloursOfTransparentPixelsComeBack() throws {
    let bitmap = try Bitmap(50, 40, .rgba8) { x, y in [x * 5, y * 6, x ^ y, 0] }
    #expect(try T.decode(T.encode(Image(bitmap), T.lossless)).bitmap == bitmap)
  }

  @Test(arguments: [false, true])
  func anAlphaThatCoversEverywhereIsStillAlpha(isLossless: Bool) throws {
    let bitmap = try Bitmap(30, 20, PixelColor(red: 10, green: 200, blue: 30), .rgba8)
    let bytes = try T.encode(Image(bitmap)) { $0.lossless = isLossless }
    let image = try T.decode(bytes)
    #expect(image.bitmap.format == .rgba8)
    #expect(try T.coder.probe(bytes, work: WorkContext()).hasAlpha)
    if isLossless { #expect(image.bitmap == bitmap) }
  }

  @Test func otherLayoutsComeBackAsTheSameColours() throws {
    let gray = try Bitmap.noise(19, 6, .gray8)
    #expect(try T.decode(T.encode(Image(gray), T.lossless)).bitmap == gray.converted(to: .opaqueRGBA8))
    let swapped = try Bitmap.noise(19, 6, PixelFormat(.bgra8, alpha: .straight))
    #expect(try T.decode(T.encode(Image(swapped), T.lossless)).bitmap == swapped.converted(to: .rgba8))
    let premultiplied = try Bitmap.noise(19, 6, PixelFormat(.rgba8, alpha: .premultiplied))
    #expect(try T.decode(T.encode(Image(premultiplied), T.lossless)).bitmap == premultiplied.converted(to: .rgba8))
    let wide = try Bitmap.noise(19, 6, .rgba16)
    #expect(try T.decode(T.encode(Image(wide), T.lossless)).bitmap == wide.converted(to: .rgba8))
  }

  @Test(arguments: [(0.2, 30.0), (0.8, 36.0), (1.0, 40.0)])
  func qualityDecidesHowNearAPictureComes(quality: Double, decibels: Double) throws {
    let bitmap = try Bitmap.waves(256, 192)
    let image = try T.decode(T.encode(Image(bitmap)) { $0.quality = quality })
    #expect(image.bitmap.signalToNoise(against: bitmap) > decibels)
  }

  @Test func lowerQualityTakesFewerBytes() throws {
    let image = try Image(Bitmap.waves(256, 192))
    let counts = try [0.1, 0.5, 0.9].map { quality in try T.encode(image) { $0.quality = quality }.count }
    #expect(counts[0] < counts[1] && counts[1] < counts[2])
  }

  @Test(arguments: ImageMetadata.Orientation.allCases)
  func theOrientationThatThePixelsStillHaveIsKept(orientation: ImageMetadata.Orientation) throws {
    let bitmap = try Bitmap.noise(9, 4, .rgba8)
    let metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    let bytes = try T.encode(Image(bitmap, metadata: metadata), T.lossless)
    let raw = try T.decode(bytes) { $0.appliesOrientation = false }
    #expect(raw.bitmap == bitmap && raw.metadata.orientation == orientation)
    let upright = try T.decode(bytes)
    #expect(try upright.bitmap == bitmap.oriented(orientation))
    #expect(try T.coder.probe(bytes, work: WorkContext()).orientation == orientation)
  }

  @Test func metadataIsDroppedUnlessItIsAskedFor() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.exif = EXIF(orientation: .left).bytes
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    let image = try Image(Bitmap(2, 2, .white), metadata: metadata)
    let dropped = try T.decode(T.encode(image)).metadata
    #expect(dropped.exif == nil && dropped.xmp == nil)
    let bytes = try T.encode(image) { $0.keepsMetadata = true }
    let kept = try T.decode(bytes).metadata
    // The pixels stand upright, so the block must say so too.
    #expect(kept.exif.flatMap(EXIF.init)?.orientation == .up)
    #expect(kept.xmp == metadata.xmp)
    #expect(try T.coder.probe(bytes, work: WorkContext()).exifBytes == kept.exif?.count)
  }

  @Test(arguments: [3000, 3001])
  func theProfileAlwaysFollowsThePixels(count: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.iccProfile = Data((0..<count).map { UInt8($0 % 251) })
    let bytes = try T.encode(Image(Bitmap.noise(2, 2, .rgba8), metadata: metadata))
    #expect(try T.decode(bytes) { $0.convertsColor = false }.metadata.iccProfile == metadata.iccProfile)
  }

  @Test func thePictureIsMadeToFitABox() throws {
    let image = try Image(Bitmap.noise(100, 50, .rgba8))
    let small = try T.decode(T.encode(image) { $0.maxPixelSize = PixelSize(width: 10, height: 10) })
    #expect(small.size == PixelSize(width: 10, height: 5))
  }

  @Test func aLimitOfBytesLowersTheQualityAndThenTheSize() throws {
    let image = try Image(Bitmap.waves(256, 192))
    let whole = try T.encode(image).count
    let worse = try T.encode(image) { $0.maxFileBytes = whole - 100 }
    #expect(worse.count <= whole - 100)
    #expect(try T.decode(worse).size == image.size)
    let noise = try Image(Bitmap.noise(256, 192, .opaqueRGBA8))
    let small = try T.encode(noise) { $0.maxFileBytes = 2000 }
    #expect(small.count <= 2000)
    #expect(try T.decode(small).size.width < 256)
    let error = #expect(throws: ImageError.self) { try T.encode(image) { $0.maxFileBytes = 20 } }
    #expect(error?.code == .encodeFailed && error?.message.hasPrefix("WebP: even one pixel") == true)
  }

  @Test func aLimitOfBytesOnAFileWithoutLoss() throws {
    let image = try Image(Bitmap(64, 64, .rgba8) { x, y in [x, y, x ^ y, 255 - x] })
    let most = try T.encode(image) {
      $0.lossless = true
      $0.compressionLevel = 0
    }.count
    let bytes = try T.encode(image) {
      $0.lossless = true
      $0.compressionLevel = 0
      $0.maxFileBytes = most - 1
    }
    #expect(bytes.count < most)
    #expect(try T.decode(bytes).bitmap == image.bitmap)
    let noise = try Image(Bitmap.noise(64, 64, .rgba8))
    let small = try T.encode(noise) {
      $0.lossless = true
      $0.maxFileBytes = 2000
    }
    #expect(small.count <= 2000)
    #expect(try T.decode(small).size.width > 10)
  }

  @Test(arguments: [(16_384, 1), (1, 16_384)])
  func aSideThatTheFormatDoesNotHoldIsRefused(width: Int, height: Int) throws {
    let image = try Image(Bitmap(width, height, .white))
    let error = #expect(throws: ImageError.self) { try T.encode(image) }
    #expect(error?.code == .encodeFailed)
    #expect(
      error?.message == "WebP: the format allows at most 16383 pixels a side, but the picture is \(image.size). "
        + "Set EncodeOptions.maxPixelSize, or write PNG or JPEG.")
    let fitting = try T.encode(image) { $0.maxPixelSize = PixelSize(width: 16_383, height: 16_383) }
    #expect(try max(T.decode(fitting).size.width, T.decode(fitting).size.height) == 16_383)
  }

  @Test func limitsBindWhatIsWritten() throws {
    var limits = Limits()
    limits.framePixels = 99
    let error = #expect(throws: ImageError.self) {
      try T.encode(Image(Bitmap(10, 10, .white)), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test(arguments: [false, true])
  func aCancelledEncodeStops(isLossless: Bool) throws {
    let cancellation = Cancellation()
    cancellation.cancel()
    let work = WorkContext(
      limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    let error = #expect(throws: ImageError.self) {
      try T.encode(Image(Bitmap.waves(64, 64)), work: work) { $0.lossless = isLossless }
    }
    #expect(error?.isCancellation == true)
  }

  @Test func otherFormatsAreNotWritten() throws {
    #expect(!T.coder.canEncode(.png))
    let image = try Image(Bitmap(1, 1, .white))
    let error = #expect(throws: ImageError.self) {
      try T.coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext())
    }
    #expect(error?.code == .encodeFailed)
  }
}
