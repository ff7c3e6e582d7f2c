import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselAVIF

struct EncodingTests {
  private typealias T = AVIFTesting

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

  @Test(arguments: [(13, 8), (16, 10), (18, 10)])
  func theDepthFollowsTheCurve(transfer: Int, depth: Int) throws {
    var image = try Image(Bitmap.waves(20, 10))
    image.metadata.color = ColorDescription(coding: ColorDescription.Coding(primaries: 9, transfer: transfer))
    let bytes = try T.encode(image)
    #expect(try T.probe(bytes).bitDepth == depth)
    #expect(try T.decode(bytes) { $0.convertsColor = false }.bitmap.signalToNoise(against: image.bitmap) > 30)
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
}
