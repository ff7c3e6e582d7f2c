import EaselCore
import EaselManager
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselJXL

struct EffectiveOptionsTests {
  private let coder = JXLCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let common: Set = ["lossless", "maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "firstFrameOnly"]
    let lossy = common.union(["quality"])
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: lossy, onEffectiveOptions: lossy))
    let result = try EncodeOptionWalk.result(of: coder, from: EncodeOptions(lossless: true))
    #expect(result == .init(onFiles: common, onEffectiveOptions: common))
  }

  @Test func valuesOutOfRangeAreThoseThatTheEncoderUses() {
    var options = EncodeOptions(quality: 3, compressionLevel: 1)
    options.settings[.jxlEffort] = 99
    var expected = EncodeOptions(quality: 1)
    expected.settings[.jxlEffort] = 9
    expected.settings[.qualityScale] = .looks
    #expect(coder.effectiveOptions(options, for: .jxl) == expected)
    #expect(coder.writesFrames(as: .jxl))
  }

  @Test func usualSettingsAreLeftOut() {
    var options = EncodeOptions(quality: 0.6)
    options.settings[.jxlEffort] = JXLEncodeSettings.usualEffort
    var expected = EncodeOptions(quality: 0.6)
    expected.settings[.qualityScale] = .looks
    #expect(coder.effectiveOptions(options, for: .jxl) == expected)
    options = EncodeOptions(quality: 0.6, lossless: true, chromaSubsampling: .full)
    #expect(coder.effectiveOptions(options, for: .jxl) == EncodeOptions(lossless: true))
  }

  @Test func theEffortIsReadBackFromKeys() throws {
    let options = try EncodeRecipe(parsing: "Encode(jxl,63,jxl-effort:6,quality-scale:1)").options
    #expect(options.settings[.jxlEffort] == 6 && coder.effectiveOptions(options, for: .jxl) == options)
  }

  @Test func theEffortChangesTheFile() throws {
    let image = try Image(JXLTesting.softAlpha(64, 48))
    var options = EncodeOptions(quality: 0.6)
    let usual = try coder.encode(image, as: .jxl, options: options, work: WorkContext()).array
    options.settings[.jxlEffort] = 7
    #expect(try coder.encode(image, as: .jxl, options: options, work: WorkContext()).array != usual)
  }

  @Test(arguments: [(1.0, 0.1), (0.9, 1.0), (0.3, 6.4), (0.0, 25.0)])
  func qualityIsMappedToDistanceAsCjxlDoes(quality: Double, distance: Double) {
    var options = EncodeOptions(quality: quality)
    options.settings[.qualityScale] = .library
    #expect(abs(JXLEncodeSettings(options).distance - distance) < 0.05)
  }
}
