import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselJXL

struct ContractTests {
  private typealias T = JXLTesting

  /// Still and moving, lossy and lossless, with and without alpha, upright and turned.
  private func samples() throws -> [ImageSample] {
    let noise = try Bitmap.noise(13, 9, .rgba8)
    func sample(_ name: String, _ bytes: ImageBytes, _ pixels: Bitmap? = nil) throws -> ImageSample {
      ImageSample(name, bytes: try bytes.array, pixels: pixels, signature: [0..<2])
    }
    var samples = [
      try sample("lossless", T.encode(Image(noise), T.lossless), noise),
      try sample("lossy", T.encode(Image(Bitmap.waves(40, 30)))),
      try sample("lossy with alpha", T.encode(Image(T.softAlpha(21, 35)))),
      try sample("grey", T.encode(Image(Bitmap.noise(17, 12, .gray8)))),
      try sample("one pixel", T.encode(Image(Bitmap(1, 1, .white)))),
    ]
    for orientation in [ImageMetadata.Orientation.upMirrored, .right] {
      let metadata = ImageMetadata(storedSize: noise.size, orientation: orientation)
      samples.append(try sample("\(orientation)", T.encode(Image(noise, metadata: metadata), T.lossless)))
    }
    samples.append(try sample("moving", T.encode(T.moving().image)))
    samples.append(try sample("moving with alpha", T.encode(T.moving(.rgba8, plays: 3).image)))
    return samples
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(JXLCoder(), samples: samples()).check()
    #expect(violations.isEmpty, "\(violations)")
  }
}
