import EaselCore
import EaselTestPixels
import Testing

@testable import EaselPNG

struct EffectiveOptionsTests {
  private let coder = PNGCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let names: Set = [
      "maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "firstFrameOnly", "compressionLevel",
      "allowsPalette",
    ]
    let result = try EncodeOptionWalk.result(of: coder)
    #expect(result == .init(onFiles: names, onEffectiveOptions: names))
    #expect(EncodeOptionWalk.changedNames == EncodeOptionWalk.names, "A new option is not walked.")
  }

  @Test func valuesOutOfRangeAreThoseThatTheEncoderUses() {
    let options = EncodeOptions(
      quality: -3, lossless: true, maxPixelSize: PixelSize(width: 0, height: 9), backgroundColor: .clear,
      progressive: true, chromaSubsampling: .full, compressionLevel: 12)
    #expect(coder.effectiveOptions(options, for: .png) == EncodeOptions(quality: 1, compressionLevel: 9))
    #expect(coder.effectiveOptions(EncodeOptions(compressionLevel: -1), for: .png).compressionLevel == 0)
    #expect(coder.writesFrames(as: .png))
  }
}
