import EaselCore
import EaselTestPixels
import Testing

@testable import EaselJPEG

struct EffectiveOptionsTests {
  private let coder = JPEGCoder()

  @Test func exactlyTheOptionsOfTheFormatHaveAnEffect() throws {
    let names: Set = [
      "quality", "maxPixelSize", "maxFileBytes", "keepsMetadata", "keepsCopyright", "backgroundColor", "progressive",
      "chromaSubsampling", "keepsGainMap",
    ]
    #expect(try EncodeOptionWalk.result(of: coder) == .init(onFiles: names, onEffectiveOptions: names))
  }

  @Test func qualityIsRoundedAsTheEncoderDoes() throws {
    for (quality, percent) in [
      (-1, 1), (Double.nan, 1), (0, 1), (0.004, 1), (0.014, 1), (0.016, 2), (0.804, 80), (0.806, 81), (1, 100),
      (7, 100),
    ] {
      #expect(coder.effectiveOptions(EncodeOptions(quality: quality), for: .jpeg).quality == Double(percent) / 100)
    }
  }

  @Test(arguments: [nil, 700, 900])
  func qualitiesOfTheSamePercentGiveTheSameFile(limit: Int?) throws {
    let image = try Image(Bitmap.waves(90, 70))
    for pair in [(0.801, 0.8), (0.799, 0.8), (0.5049, 0.4951), (0, 0.01)] {
      let files = try [pair.0, pair.1].map { quality in
        try Pictures.array(
          Pictures.file(image) {
            $0.quality = quality
            $0.maxFileBytes = limit
          })
      }
      #expect(files[0] == files[1])
    }
  }

  @Test func theAlphaOfTheBackgroundAndTheFramesHaveNoEffect() {
    var options = EncodeOptions(firstFrameOnly: true)
    options.backgroundColor = PixelColor(red: 1, green: 2, blue: 3, alpha: 4)
    let expected = EncodeOptions(backgroundColor: PixelColor(red: 1, green: 2, blue: 3))
    #expect(coder.effectiveOptions(options, for: .jpeg) == expected)
    #expect(!coder.writesFrames(as: .jpeg))
  }
}
