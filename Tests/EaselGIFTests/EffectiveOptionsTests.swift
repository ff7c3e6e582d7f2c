import EaselCore
import EaselTestPixels
import Testing

@testable import EaselGIF

struct EffectiveOptionsTests {
  private let coder = GIFCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let names: Set = ["maxPixelSize", "maxFileBytes", "keepsMetadata", "backgroundColor", "firstFrameOnly"]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
  }

  @Test func qualityHasAnEffectOnlyTogetherWithALimitOfBytes() throws {
    let result = try EncodeOptionWalk.result(of: coder, limitsBytes: true)
    #expect(result.onEffectiveOptions.contains("quality") && result.onFiles.isSubset(of: result.onEffectiveOptions))
    #expect(coder.effectiveOptions(EncodeOptions(quality: 0.1), for: .gif) == EncodeOptions())
    let limited = EncodeOptions(quality: 2, maxFileBytes: 9)
    #expect(coder.effectiveOptions(limited, for: .gif) == EncodeOptions(quality: 1, maxFileBytes: 9))
    #expect(coder.writesFrames(as: .gif))
  }
}
