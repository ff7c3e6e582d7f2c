import EaselCore
import EaselTestPixels
import Testing

@testable import EaselTIFF

struct EffectiveOptionsTests {
  private let coder = TIFFCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let common: Set = ["maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "firstFrameOnly"]
    let deflated = common.union(["compressionLevel"])
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: deflated, onEffectiveOptions: deflated))
    for compression in [TIFFCompression.lzw, .none] {
      var base = EncodeOptions()
      base.settings[.tiffCompression] = compression
      let result = try EncodeOptionWalk.result(of: coder, from: base)
      #expect(result == .init(onFiles: common, onEffectiveOptions: common), "\(compression)")
    }
  }

  @Test func usualSettingsAreLeftOut() {
    var options = EncodeOptions(quality: 0.3, compressionLevel: 99)
    options.settings[.tiffCompression] = .deflate
    options.settings[.tiffPredictor] = true
    #expect(coder.effectiveOptions(options, for: .tiff) == EncodeOptions(compressionLevel: 9))
    options.settings[.tiffCompression] = TIFFCompression.none
    options.settings[.tiffPredictor] = false
    var expected = EncodeOptions()
    expected.settings[.tiffCompression] = TIFFCompression.none
    #expect(coder.effectiveOptions(options, for: .tiff) == expected)
  }

  @Test func settingsAreReadBackFromKeys() throws {
    var options = EncodeOptions()
    options.settings[.tiffCompression] = .lzw
    options.settings[.tiffPredictor] = false
    let effective = coder.effectiveOptions(options, for: .tiff)
    #expect(effective.settings[.tiffCompression] == .lzw && effective.settings[.tiffPredictor] == false)
    #expect(TIFFCompression("lzw") == .lzw && TIFFCompression("zip") == nil)
  }

  @Test func everySettingChangesTheFile() throws {
    let image = try Image(Bitmap.waves(64, 48))
    let usual = try coder.encode(image, as: .tiff, options: EncodeOptions(), work: WorkContext()).array
    let changes: [(inout EncodeOptions.Settings) -> Void] = [
      { $0[.tiffCompression] = .lzw }, { $0[.tiffCompression] = TIFFCompression.none }, { $0[.tiffPredictor] = false },
    ]
    for change in changes {
      var options = EncodeOptions()
      change(&options.settings)
      #expect(coder.effectiveOptions(options, for: .tiff).settings == options.settings)
      #expect(try coder.encode(image, as: .tiff, options: options, work: WorkContext()).array != usual)
    }
  }
}
