import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselWebP

struct ContractTests {
  private typealias T = WebPTesting

  /// Still and moving, lossy and lossless, with and without alpha, upright and turned.
  private func samples() throws -> [ImageSample] {
    let noise = try Bitmap.noise(13, 9, .rgba8)
    var samples = [
      try ImageSample("lossless", bytes: T.encode(Image(noise), T.lossless).array, pixels: noise),
      try ImageSample("lossy", bytes: T.encode(Image(Bitmap.waves(40, 30))).array),
      try ImageSample("lossy with alpha", bytes: T.encode(Image(T.softAlpha(21, 35))).array),
      try ImageSample("one pixel", bytes: T.encode(Image(Bitmap(1, 1, .white))).array),
    ]
    for orientation in [ImageMetadata.Orientation.upMirrored, .right] {
      let metadata = ImageMetadata(storedSize: noise.size, orientation: orientation)
      samples.append(
        try ImageSample("\(orientation)", bytes: T.encode(Image(noise, metadata: metadata), T.lossless).array))
    }
    let bitmaps = try (0..<4).map { try Bitmap.noise(9, 7, .rgba8, seed: UInt64($0)) }
    let frames = Frames(bitmaps: bitmaps, durations: Array(repeating: .milliseconds(70), count: 4), loopCount: 2)
    samples.append(try ImageSample("moving", bytes: T.encode(frames.image, T.lossless).array, pixels: bitmaps[0]))
    let movingLossy = T.riff(
      T.extended(20, 16, [.animation, .alpha]) + T.animation(loops: 1)
        + (try T.frame(T.pixels(T.softAlpha(20, 16), isLossless: false), clears: true))
        + (try T.frame(T.pixels(T.softAlpha(10, 9), isLossless: false), x: 4, y: 2))
        + (try T.frame(T.pixels(Bitmap.waves(8, 8), isLossless: false), x: 12, y: 8)))
    samples.append(ImageSample("moving and lossy", bytes: movingLossy))
    return samples
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(WebPCoder(), samples: samples()).check()
    #expect(violations.isEmpty, "\(violations)")
  }

  @Test func theProgressiveCoderKeepsItsContract() async throws {
    let violations = try await ProgressiveCoderContract(WebPCoder(), samples: samples()).check()
    #expect(violations.isEmpty, "\(violations)")
  }
}
