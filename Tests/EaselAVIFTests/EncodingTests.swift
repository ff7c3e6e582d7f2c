import EaselCoding
import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

struct EncodingTests {
  private typealias T = AVIFTesting

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

  @Test func ofSixteenBitsTwelveAreKeptWithoutLoss() throws {
    let bitmap = try Bitmap.noise(30, 20, .rgba16)
    let bytes = try T.encode(Image(bitmap), T.lossless)
    #expect(try T.probe(bytes).bitDepth == 12)
    let image = try T.decode(bytes) { $0.keeps16Bits = true }
    #expect(image.bitmap.format == .rgba16)
    #expect(image.bitmap.largestDifference(from: bitmap) <= 8)
    #expect(try T.decode(bytes).bitmap.format == .rgba8)
  }

  @Test(arguments: [(8, nil), (10, 10), (12, 12), (7, nil)] as [(Int, Int?)])
  func theDepthIsThatOfTheSetting(wanted: Int, depth: Int?) throws {
    let bitmap = try Bitmap.waves(64, 64)
    let bytes = try T.encode(Image(bitmap)) { $0.settings[.avifDepth] = wanted }
    #expect(try T.probe(bytes).bitDepth == depth ?? 8)
    #expect(try T.decode(bytes).bitmap.signalToNoise(against: bitmap) > 36)
  }

  @Test func aPictureOfSixteenBitsIsWrittenWithTen() throws {
    let bitmap = try Bitmap.waves(64, 64).converted(to: PixelFormat(.rgba16, alpha: .opaque))
    let bytes = try T.encode(Image(bitmap))
    #expect(try T.probe(bytes).bitDepth == 10)
    #expect(try T.decode(bytes) { $0.keeps16Bits = true }.bitmap.signalToNoise(against: bitmap) > 36)
  }

  @Test(arguments: [(0.2, 27.0), (0.63, 34.0), (1.0, 40.0)])
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

  @Test func theResolutionOfColourIsThatOfTheOptions() throws {
    // Columns of one pixel keep their colours only at full resolution.
    let bitmap = try Bitmap(64, 64, .opaqueRGBA8) { x, _ in x % 2 == 0 ? [200, 60, 60, 255] : [60, 60, 200, 255] }
    func signal(_ chroma: EncodeOptions.ChromaSubsampling) throws -> Double {
      let bytes = try T.encode(Image(bitmap)) {
        $0.quality = 0.95
        $0.chromaSubsampling = chroma
      }
      return try T.decode(bytes).bitmap.signalToNoise(against: bitmap)
    }
    let (full, half) = (try signal(.full), try signal(.halfWidth))
    #expect(full > 32 && half < 20)
    let rows = try Bitmap(64, 64, .opaqueRGBA8) { _, y in y % 2 == 0 ? [200, 60, 60, 255] : [60, 60, 200, 255] }
    let quarter = try T.decode(T.encode(Image(rows)) { $0.quality = 0.95 }).bitmap.signalToNoise(against: rows)
    let halfOfRows = try T.decode(
      T.encode(Image(rows)) {
        $0.quality = 0.95
        $0.chromaSubsampling = .halfWidth
      }
    ).bitmap.signalToNoise(against: rows)
    #expect(halfOfRows > 32 && quarter < 20)
  }

  @Test func alphaHasAQualityOfItsOwn() throws {
    let bitmap = try T.softAlpha(96, 80)
    func alphaDifference(_ quality: Double?) throws -> Int {
      let decoded = try T.decode(T.encode(Image(bitmap)) { $0.settings[.avifAlphaQuality] = quality }).bitmap
      return (0..<bitmap.height).flatMap { y in
        (0..<bitmap.width).map { abs(decoded.components($0, y)[3] - bitmap.components($0, y)[3]) }
      }.max()!
    }
    let (least, usual, best) = (try alphaDifference(0.05), try alphaDifference(nil), try alphaDifference(1))
    #expect(best == 0 && usual < least)
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

  @Test(arguments: [3000, 3001])
  func theProfileAlwaysFollowsThePixels(count: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.iccProfile = Data((0..<count).map { UInt8($0 % 251) })
    metadata.color = ColorDescription(coding: .sRGB)
    let bytes = try T.encode(Image(Bitmap.noise(2, 2, .rgba8), metadata: metadata))
    #expect(try T.probe(bytes).iccProfileBytes == count)
    let read = try T.decode(bytes) { $0.convertsColor = false }.metadata
    #expect(read.iccProfile == metadata.iccProfile && read.color == nil)
  }

  @Test(arguments: [(1, 13), (12, 13), (9, 16), (9, 18), (2, 16)])
  func codePointsFollowThePixels(primaries: Int, transfer: Int) throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 20, height: 10))
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    let bitmap = try Bitmap.waves(20, 10)
    let bytes = try T.encode(Image(bitmap, metadata: metadata))
    #expect(try T.probe(bytes).bitDepth == (transfer >= 16 ? 10 : 8))
    let read = try T.decode(bytes) { $0.convertsColor = false }
    #expect(read.metadata.color == metadata.color)
    #expect(read.bitmap.signalToNoise(against: bitmap) > 30)
    let lossless = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless)) { $0.convertsColor = false }
    #expect(lossless.bitmap == bitmap && lossless.metadata.color == metadata.color)
  }

  @Test(arguments: [true, false], [true, false])
  func theLightIsWrittenToo(hasDisplay: Bool, hasAlpha: Bool) throws {
    let bitmap = hasAlpha ? try T.softAlpha(40, 30) : try Bitmap.waves(40, 30)
    var metadata = ImageMetadata(storedSize: bitmap.size, orientation: .right)
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    var color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    let plain = try T.encode(Image(bitmap, metadata: with(metadata, color)))
    color.contentLight = ColorDescription.ContentLight(greatest: 1000, greatestAverage: 70_000)
    if hasDisplay {
      color.masteringDisplay = ColorDescription.MasteringDisplay(
        red: SIMD2(0.708, 0.292), green: SIMD2(0.17, 0.797), blue: SIMD2(0.131, 0.046), white: SIMD2(0.3127, 0.329),
        leastLuminance: 0.005, greatestLuminance: 1000)
    }
    let image = Image(bitmap, metadata: with(metadata, color))
    let bytes = try T.encode(image)
    #expect(bytes.count == plain.count + (hasDisplay ? 46 : 13))
    let read = try T.decode(bytes) { $0.convertsColor = false }
    // The largest number that fits.
    color.contentLight?.greatestAverage = 65_535
    #expect(read.metadata.color == color)
    #expect(try read.bitmap == T.decode(plain) { $0.convertsColor = false }.bitmap)
    #expect(try T.coder.metadataBytes(of: bytes, work: WorkContext()) == 9, "the orientation alone")
    let kept = try T.encode(image) { $0.keepsMetadata = true }
    let keptMetadata = try T.decode(kept) { $0.convertsColor = false }.metadata
    #expect(keptMetadata.xmp == metadata.xmp && keptMetadata.color == color)
  }

  private func with(_ metadata: ImageMetadata, _ color: ColorDescription) -> ImageMetadata {
    var metadata = metadata
    metadata.color = color
    return metadata
  }

  @Test func ofHighRangeCodePointsGoBeforeAProfile() throws {
    var metadata = ImageMetadata(storedSize: PixelSize(width: 20, height: 10))
    metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: 16))
    metadata.iccProfile = Data(count: 300)
    let bytes = try T.encode(Image(Bitmap.waves(20, 10), metadata: metadata))
    let read = try T.decode(bytes) { $0.convertsColor = false }.metadata
    #expect(read.color == metadata.color && read.iccProfile == nil)
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
    #expect(error?.code == .encodeFailed && error?.message.hasPrefix("AVIF: even one pixel") == true)
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
}
