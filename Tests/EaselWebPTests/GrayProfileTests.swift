import CEaselColorFixtures
import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

struct GrayProfileTests {
  @Test func greyOfAProfileBecomesSRGB() throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = easel_make_icc_profile(nil, 1, &bytes, bytes.count)
    let bitmap = try Bitmap(32, 32, PixelColor(red: 128, green: 128, blue: 128), .opaqueRGBA8)
    let metadata = ImageMetadata(storedSize: bitmap.size, iccProfile: Data(bytes.prefix(count)))
    let coder = WebPCoder()
    let file = try coder.encode(
      Image(bitmap, metadata: metadata), as: .webp, options: EncodeOptions(), work: WorkContext())
    #expect(try coder.probe(file, work: WorkContext()).iccProfileBytes == 0)
    let read = try coder.decode(file, options: DecodeOptions(), work: WorkContext())
    #expect(abs(read.bitmap.components(5, 5)[0] - 188) <= 2)
  }
}
