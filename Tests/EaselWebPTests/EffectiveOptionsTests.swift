import EaselCore
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselWebP

struct EffectiveOptionsTests {
  private let coder = WebPCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let common: Set = ["lossless", "maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "firstFrameOnly"]
    let lossy = common.union(["quality"])
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: lossy, onEffectiveOptions: lossy))
    let lossless = common.union(["compressionLevel"])
    let result = try EncodeOptionWalk.result(of: coder, from: EncodeOptions(lossless: true))
    #expect(result == .init(onFiles: lossless, onEffectiveOptions: lossless))
  }

  @Test func valuesOutOfRangeAreThoseThatTheEncoderUses() {
    let lossy = coder.effectiveOptions(EncodeOptions(quality: 3, compressionLevel: 1), for: .webp)
    var expected = EncodeOptions(quality: 1)
    expected.settings[.qualityScale] = .looks
    #expect(lossy == expected)
    let lossless = EncodeOptions(quality: 0.1, lossless: true, compressionLevel: 77)
    #expect(coder.effectiveOptions(lossless, for: .webp) == EncodeOptions(lossless: true, compressionLevel: 9))
    #expect(coder.writesFrames(as: .webp))
  }
}
