import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselPNG

struct ContractTests {
  private let coder = PNGCoder()

  private func samples() throws -> [ImageSample] {
    func written(_ image: Image) throws -> [UInt8] {
      try coder.encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).withUnsafeBytes(Array.init)
    }
    let still = try Bitmap.noise(13, 9, .rgba8)
    let opaque = try Bitmap.noise(11, 7, .opaqueRGBA8)
    let moving = try Frames(
      bitmaps: (0..<4).map { try Bitmap.noise(8, 6, .rgba8, seed: $0 + 1) },
      durations: (0..<4).map { .milliseconds(30 + 10 * $0) }, loopCount: 2)
    let movingOpaque = try Frames(
      bitmaps: (0..<3).map { try Bitmap.noise(8, 6, .opaqueRGBA8, seed: $0 + 1) },
      durations: (0..<3).map { .milliseconds(30 + 10 * $0) })
    let turned = ImageMetadata(storedSize: opaque.size, orientation: .rightMirrored)
    return [
      ImageSample("a still picture", bytes: try written(Image(still)), pixels: still),
      ImageSample("an opaque picture", bytes: try written(Image(opaque)), pixels: opaque),
      ImageSample("a turned picture", bytes: try written(Image(opaque, metadata: turned))),
      ImageSample("a moving picture", bytes: try written(moving.image)),
      ImageSample("a moving opaque picture", bytes: try written(movingOpaque.image)),
    ]
  }

  @Test func theCoderKeepsItsContract() async throws {
    let violations = try await ImageCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }

  @Test func theProgressiveDecoderKeepsItsContract() async throws {
    let violations = try await ProgressiveCoderContract(coder, samples: samples()).check()
    #expect(violations == [])
  }
}
