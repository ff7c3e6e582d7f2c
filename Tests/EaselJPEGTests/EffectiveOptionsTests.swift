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
    // The gain map and the metadata, which no limit makes smaller, are most of these files.
    let result = try EncodeOptionWalk.result(of: coder, share: 0.95)
    #expect(result == .init(onFiles: names, onEffectiveOptions: names))
  }

  @Test func effortAndRestartMarkersAreToldUnlessTheyAreLeast() throws {
    func settings(_ change: (inout EncodeOptions) -> Void) -> [String] {
      var options = EncodeOptions()
      change(&options)
      return coder.effectiveOptions(options, for: .jpeg).settings.entries.map { "\($0.name):\($0.text)" }
    }
    #expect(settings { _ in } == ["jpeg-effort:2"])
    for (effort, text) in [(-1, ""), (1, ""), (2, "2"), (3, "3"), (9, "3")] {
      #expect(settings { $0.settings[.jpegEffort] = effort } == ["jpeg-effort:\(text)"])
    }
    // The options that have an effect lead to the same file.
    for effort in 1...3 {
      var options = EncodeOptions()
      options.settings[.jpegEffort] = effort
      let effective = coder.effectiveOptions(options, for: .jpeg)
      #expect(effective.settings[.jpegEffort] == effort && coder.effectiveOptions(effective, for: .jpeg) == effective)
    }
    // Without passes there is nothing more to do than usual.
    let plain = settings { options in
      options.settings[.jpegEffort] = 3
      options.progressive = false
    }
    #expect(plain == ["jpeg-effort:2"])
    #expect(settings { $0.settings[.jpegRestarts] = true } == ["jpeg-effort:2", "jpeg-restarts:true"])
    #expect(settings { $0.settings[.jpegRestarts] = false } == ["jpeg-effort:2"])
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
    var expected = EncodeOptions(backgroundColor: PixelColor(red: 1, green: 2, blue: 3))
    expected.settings[.jpegEffort] = 2
    #expect(coder.effectiveOptions(options, for: .jpeg) == expected)
    #expect(!coder.writesFrames(as: .jpeg))
  }
}
