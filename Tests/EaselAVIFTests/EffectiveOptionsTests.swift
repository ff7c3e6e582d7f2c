import EaselCore
import EaselManager
import EaselPixels
import EaselTestPixels
import Testing

@testable import EaselAVIF

struct EffectiveOptionsTests {
  private let coder = AVIFCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let common: Set = ["lossless", "maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "firstFrameOnly"]
    let lossy = common.union(["quality", "chromaSubsampling"])
    // The boxes of a small sequence take nearly as much as its pixels.
    let share = 0.97
    #expect(try EncodeOptionWalk.result(of: coder, share: share) == .init(onFiles: lossy, onEffectiveOptions: lossy))
    let result = try EncodeOptionWalk.result(of: coder, from: EncodeOptions(lossless: true), share: share)
    #expect(result == .init(onFiles: common, onEffectiveOptions: common))
  }

  @Test func valuesOutOfRangeAreThoseThatTheEncoderUses() {
    var options = EncodeOptions(quality: 3, compressionLevel: 1)
    options.settings[.avifSpeed] = 99
    options.settings[.avifDepth] = 9
    options.settings[.avifAlphaQuality] = -1
    var expected = EncodeOptions(quality: 1)
    expected.settings[.avifSpeed] = 10
    expected.settings[.avifAlphaQuality] = 0
    expected.settings[.qualityScale] = .looks
    #expect(coder.effectiveOptions(options, for: .avif) == expected)
    #expect(coder.writesFrames(as: .avif))
  }

  @Test func usualSettingsAreLeftOut() {
    var options = EncodeOptions(quality: 0.6)
    options.settings[.avifSpeed] = 8
    options.settings[.avifAlphaQuality] = 0.6
    var expected = EncodeOptions(quality: 0.6)
    expected.settings[.qualityScale] = .looks
    #expect(coder.effectiveOptions(options, for: .avif) == expected)
    options = EncodeOptions(quality: 0.6, lossless: true, chromaSubsampling: .full)
    options.settings[.avifAlphaQuality] = 0.2
    #expect(coder.effectiveOptions(options, for: .avif) == EncodeOptions(lossless: true))
  }

  @Test func settingsAreReadBackFromKeys() throws {
    let key = "Encode(avif,63,chroma=444,avif-alpha-quality:0.9,avif-depth:10,avif-speed:6,quality-scale:1)"
    let options = try EncodeRecipe(parsing: key).options
    #expect(options.settings[.avifSpeed] == 6 && options.settings[.avifDepth] == 10)
    #expect(options.settings[.avifAlphaQuality] == 0.9 && options.chromaSubsampling == .full)
    #expect(coder.effectiveOptions(options, for: .avif) == options)
  }

  @Test func everySettingChangesTheFile() throws {
    let image = try Image(AVIFTesting.softAlpha(64, 48))
    var options = EncodeOptions(quality: 0.6)
    let usual = try coder.encode(image, as: .avif, options: options, work: WorkContext()).array
    let changes: [(inout EncodeOptions.Settings) -> Void] = [
      { $0[.avifSpeed] = 4 }, { $0[.avifDepth] = 10 }, { $0[.avifAlphaQuality] = 0.1 },
    ]
    for change in changes {
      options.settings = EncodeOptions.Settings()
      change(&options.settings)
      var settings = options.settings
      settings[.qualityScale] = .looks
      #expect(coder.effectiveOptions(options, for: .avif).settings == settings)
      #expect(try coder.encode(image, as: .avif, options: options, work: WorkContext()).array != usual)
    }
  }
}
