import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselJXL

struct EncodingTests {
  private typealias T = JXLTesting

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

  @Test func aLossyPictureWithAProfileHasItsColours() throws {
    let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), .opaqueRGBA8)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = LinearProfile.colors
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

  @Test(arguments: [(6, 6), (22, 13), (9, 14), (5, 18), (1, 15)])
  func coloursThatLibjxlCannotStateAreConverted(primaries: Int, transfer: Int) throws {
    let color = ColorDescription(coding: ColorDescription.Coding(primaries: primaries, transfer: transfer))
    let bitmap = try Bitmap.waves(20, 10).converted(to: PixelFormat(.rgba16, alpha: .straight))
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.color = color
    let read = try T.decode(T.encode(Image(bitmap, metadata: metadata), T.lossless)) { $0.keeps16Bits = true }
    #expect(try read.bitmap.signalToNoise(against: bitmap.converted(from: color)) > 55)
  }
}
