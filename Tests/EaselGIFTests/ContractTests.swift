import EaselCore
import EaselTestPixels
import EaselTestSupport
import Testing

@testable import EaselGIF

struct ContractTests {
  private let coder = GIFCoder()

  private func samples() throws -> [ImageSample] {
    let work = WorkContext()
    func written(_ image: Image) throws -> [UInt8] {
      try coder.encode(image, as: .gif, options: EncodeOptions(), work: work).withUnsafeBytes(Array.init)
    }
    func picture(_ width: Int, _ height: Int, _ shift: Int, hasAlpha: Bool) throws -> Bitmap {
      try Bitmap(width, height, hasAlpha ? .rgba8 : .opaqueRGBA8) { x, y in
        let isClear = hasAlpha && (x + y + shift) % 5 == 0
        return isClear ? [0, 0, 0, 0] : [(x * 8 + shift) % 256, y * 10 % 256, 40 * shift % 256, 255]
      }
    }
    func moving(hasAlpha: Bool) throws -> Image {
      let bitmaps = try (0..<4).map { try picture(9, 7, $0, hasAlpha: hasAlpha) }
      let durations = (0..<4).map { Duration.milliseconds(50 + 20 * $0) }
      return Frames(bitmaps: bitmaps, durations: durations, loopCount: 3).image
    }
    let opaque = try picture(20, 11, 1, hasAlpha: false)
    let transparent = try picture(13, 9, 2, hasAlpha: true)
    var interlaced = HandmadeGIF(screen: PixelSize(width: 6, height: 9))
    interlaced.frames = [
      .init(
        rect: PixelRect(x: 1, y: 0, width: 5, height: 9), indices: (0..<45).map { UInt8($0 % 4) }, isInterlaced: true)
    ]
    return [
      ImageSample("a still picture", bytes: try written(Image(opaque)), pixels: opaque),
      ImageSample("a transparent picture", bytes: try written(Image(transparent)), pixels: transparent),
      ImageSample("a moving picture", bytes: try written(moving(hasAlpha: false))),
      ImageSample("a moving transparent picture", bytes: try written(moving(hasAlpha: true))),
      ImageSample("an interlaced picture", bytes: interlaced.bytes),
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
