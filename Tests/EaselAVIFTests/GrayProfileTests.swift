import EaselCore
import EaselTestPixels
import Testing

@testable import EaselAVIF

struct GrayProfileTests {
  private typealias T = AVIFTesting

  @Test(arguments: [true, false]) func aProfileOfGreyIsKeptForGreyAloneAndElseConverted(isGray: Bool) throws {
    let format: PixelFormat = isGray ? PixelFormat(.gray8, alpha: .opaque) : .opaqueRGBA8
    let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), format)
    var metadata = ImageMetadata(storedSize: bitmap.size)
    metadata.iccProfile = linearGreyProfile()
    let file = try T.encode(Image(bitmap, metadata: metadata), T.lossless)
    let read = try T.decode(file)
    #expect(abs(read.bitmap.components(5, 5)[0] - 188) <= 1)
    #expect(try (T.probe(file).iccProfileBytes > 0) == isGray)
  }
}
