import EaselCore
import Testing

@testable import EaselHEIF

struct SandboxSampleTests {
  @Test func theSampleForTheSandboxIsAnOrangePicture() throws {
    let coder = HEIFCoder()
    let sample = ImageBytes(try #require(HEIFCoder.card.sample))
    let image = try coder.decode(sample, options: DecodeOptions(), work: WorkContext())
    #expect(image.size == PixelSize(width: 64, height: 64))
    image.bitmap.withUnsafeBytes { pixels in
      #expect(pixels[0] > 200 && (80...180).contains(pixels[1]) && pixels[2] < 80)
    }
  }

  @Test func theSampleGivesAThumbnailToo() throws {
    let coder = HEIFCoder()
    var options = DecodeOptions()
    options.thumbnailSize = PixelSize(width: 20, height: 20)
    let sample = ImageBytes(try #require(HEIFCoder.card.sample))
    let image = try coder.decode(sample, options: options, work: WorkContext())
    #expect(image.size == PixelSize(width: 20, height: 20))
  }
}
