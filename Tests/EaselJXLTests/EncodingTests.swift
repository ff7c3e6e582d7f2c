import CEaselColorFixtures
import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

struct EncodingTests {
  private typealias T = JXLTesting

  @Test(arguments: [PixelFormat.rgba8, .opaqueRGBA8], [(1, 1), (7, 5), (64, 33), (301, 17)])
  func withoutLossEveryPixelComesBack(format: PixelFormat, size: (Int, Int)) throws {
    let bitmap = try Bitmap.noise(size.0, size.1, format)
    #expect(try T.decode(T.encode(Image(bitmap), T.lossless)).bitmap == bitmap)
  }

  @Test func coloursOfTransparentPixelsComeBack() throws {
    let bitmap = try Bitmap(50, 40, .rgba8) { x, y in [x * 5, y * 6, x ^ y, 0] }
    #expect(try T.decode(T.encode(Image(bitmap), T.lossless)).bitmap == bitmap)
  }

  @Test func otherLayoutsComeBackAsTheSameColours() throws {
    let gray = try Bitmap.noise(19, 6, .gray8)
    #expect(try T.decode(T.encode(Image(gray), T.lossless)).bitmap == gray.converted(to: .opaqueRGBA8))
    let swapped = try Bitmap.noise(19, 6, PixelFormat(.bgra8, alpha: .straight))
    #expect(try T.decode(T.encode(Image(swapped), T.lossless)).bitmap == swapped.converted(to: .rgba8))
    let premultiplied = try Bitmap.noise(19, 6, PixelFormat(.rgba8, alpha: .premultiplied))
    #expect(try T.decode(T.encode(Image(premultiplied), T.lossless)).bitmap == premultiplied.converted(to: .rgba8))
  }

  @Test(arguments: [(0.2, 22.0), (0.8, 32.0), (1.0, 40.0)])
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
    var metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    metadata.exif = EXIF(orientation: .down).bytes
    let bytes = try T.encode(Image(bitmap, metadata: metadata)) {
      $0.lossless = true
      $0.keepsMetadata = true
    }
    let raw = try T.decode(bytes) { $0.appliesOrientation = false }
    #expect(raw.bitmap == bitmap && raw.metadata.orientation == orientation)
    #expect(raw.metadata.exif.flatMap(EXIF.init)?.orientation == orientation)
    let upright = try T.decode(bytes)
    #expect(try upright.bitmap == bitmap.oriented(orientation))
    #expect(upright.metadata.exif.flatMap(EXIF.init)?.orientation == .up)
    #expect(try T.probe(bytes).orientation == orientation)
  }

  @Test func anOrientationMakesNoEXIF() throws {
    let bitmap = try Bitmap.noise(9, 4, .rgba8)
    let metadata = ImageMetadata(storedSize: bitmap.size, orientation: .right)
    let image = try T.decode(T.encode(Image(bitmap, metadata: metadata)))
    #expect(image.metadata.exif == nil && image.size == PixelSize(width: 4, height: 9))
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
    #expect(try T.probe(bytes).exifBytes == kept.exif?.count)
  }

  private func with(_ metadata: ImageMetadata, _ color: ColorDescription) -> ImageMetadata {
    var metadata = metadata
    metadata.color = color
    return metadata
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
    let lossless = try T.encode(noise) {
      $0.lossless = true
      $0.maxFileBytes = 9000
    }
    #expect(lossless.count <= 9000)
    let error = #expect(throws: ImageError.self) { try T.encode(image) { $0.maxFileBytes = 20 } }
    #expect(error?.code == .encodeFailed && error?.message.hasPrefix("JXL: even one pixel") == true)
  }

  @Test func equalPicturesAreEqualFiles() throws {
    let image = try Image(Bitmap.waves(2100, 40))
    #expect(try T.encode(image).array == T.encode(image).array)
  }

  @Test func limitsBindWhatIsWritten() throws {
    var limits = Limits()
    limits.framePixels = 99
    let error = #expect(throws: ImageError.self) {
      try T.encode(Image(Bitmap(10, 10, .white)), work: WorkContext(limits: limits))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func aCancelledEncodeStops() throws {
    let error = #expect(throws: ImageError.self) {
      try T.encode(Image(Bitmap.waves(64, 64)), work: WorkContext(isCancelled: true))
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

  @Test func sixteenBitsComeBackWithoutLoss() throws {
    for format in [PixelFormat.rgba16, PixelFormat(.rgba16, alpha: .opaque)] {
      let bitmap = try Bitmap.noise(30, 20, format)
      let bytes = try T.encode(Image(bitmap), T.lossless)
      #expect(try T.probe(bytes).bitDepth == 16)
      #expect(try T.decode(bytes) { $0.keeps16Bits = true }.bitmap == bitmap)
      #expect(try T.decode(bytes).bitmap.format.layout == .rgba8)
    }
    let soft = try Bitmap.waves(64, 64).converted(to: PixelFormat(.rgba16, alpha: .opaque))
    #expect(try T.decode(T.encode(Image(soft))) { $0.keeps16Bits = true }.bitmap.signalToNoise(against: soft) > 34)
  }

  @Test func theProfileFollowsThePixelsWithoutLoss() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.iccProfile = linearProfile()
    metadata.color = ColorDescription(coding: .sRGB)
    let bytes = try T.encode(Image(Bitmap.noise(2, 2, .rgba8), metadata: metadata), T.lossless)
    #expect(try T.probe(bytes).iccProfileBytes == metadata.iccProfile?.count)
    let read = try T.decode(bytes) { $0.convertsColor = false }.metadata
    #expect(read.iccProfile == metadata.iccProfile && read.color == nil)
  }

  @Test func aLossyPictureWithAProfileHasItsColours() throws {
    let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = linearProfile()
    let shown = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless)).bitmap
    #expect(try T.decode(T.encode(Image(bitmap, metadata: metadata))).bitmap.largestDifference(from: shown) < 4)
  }

  @Test func aProfileThatCannotBeUsedIsLeftOut() throws {
    let bitmap = try Bitmap.noise(9, 8, .rgba8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = Data((0..<301).map { UInt8($0 % 251) })
    let read = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless))
    #expect(read.bitmap == bitmap && read.metadata.iccProfile == nil)
  }

  @Test(arguments: [(1, 13), (12, 13), (9, 16), (9, 18), (1, 8)])
  func codePointsFollowThePixels(primaries: Int, transfer: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 20, height: 10))
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    let bitmap = try Bitmap.waves(20, 10)
    let lossless = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless)) { $0.convertsColor = false }
    #expect(lossless.bitmap == bitmap && lossless.metadata.color == metadata.color)
    let lossy = try T.decode(T.encode(Image(bitmap, metadata: metadata)) { $0.quality = 1 }) {
      $0.convertsColor = false
    }
    #expect(lossy.metadata.color == metadata.color)
    #expect(lossy.bitmap.signalToNoise(against: bitmap) > 25)
  }

  @Test(arguments: [(6, 6), (22, 13), (9, 14), (5, 18), (1, 15)])
  func coloursThatLibjxlCannotStateAreConverted(primaries: Int, transfer: Int) throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    let bitmap = try Bitmap.waves(20, 10).converted(to: PixelFormat(.rgba16, alpha: .straight))
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.color = color
    let read = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless)) { $0.keeps16Bits = true }
    #expect(try read.bitmap.signalToNoise(against: bitmap.converted(from: color)) > 55)
  }

  @Test(arguments: [true, false]) func aProfileOfGreyIsKeptForGreyAloneAndElseConverted(isGray: Bool) throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = easel_make_icc_profile(nil, 1, &bytes, bytes.count)
    let format: PixelFormat = isGray ? PixelFormat(.gray8, alpha: .opaque) : .opaqueRGBA8
    let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), format)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = Data(bytes.prefix(count))
    let file = try T.encode(Image(bitmap, metadata: metadata), T.lossless)
    let read = try T.decode(file)
    #expect(abs(read.bitmap.components(5, 5)[0] - 188) <= 1)
    #expect(try (T.probe(file).iccProfileBytes > 0) == isGray)
  }
}
