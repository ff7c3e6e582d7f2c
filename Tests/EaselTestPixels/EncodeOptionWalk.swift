import EaselCore
import FoundationEssentials

/// Changes every option of an encoder, one after another, to find those that have an effect.
package enum EncodeOptionWalk {
  /// The names of options with an effect on the files, and of those that the coder calls effective.
  package struct Result: Equatable {
    package var onFiles: Set<String> = []
    package var onEffectiveOptions: Set<String> = []

    package init(onFiles: Set<String> = [], onEffectiveOptions: Set<String> = []) {
      self.onFiles = onFiles
      self.onEffectiveOptions = onEffectiveOptions
    }
  }

  /// Walks over all options from a base, with a still and a moving picture.
  ///
  /// `share` is the part of the usual bytes to which files are limited.
  package static func result(
    of coder: some EncodingCoder, from base: EncodeOptions = EncodeOptions(), limitsBytes: Bool = false,
    share: Double = 0.75
  ) throws -> Result {
    let format = coder.formats[0]
    var result = Result()
    for image in try pictures() {
      let written = { (options: EncodeOptions) in
        try coder.encode(image, as: format, options: options, work: WorkContext()).data()
      }
      let usual = try written(base).count
      var base = base
      if limitsBytes { base.maxFileBytes = usual * 2 / 3 }
      let (file, effective) = (try written(base), coder.effectiveOptions(base, for: format))
      for (name, change) in changes(limit: Int(Double(usual) * share)) {
        var options = base
        change(&options)
        if try written(options) != file { result.onFiles.insert(name) }
        if coder.effectiveOptions(options, for: format) != effective { result.onEffectiveOptions.insert(name) }
      }
    }
    return result
  }

  /// The names of all options.
  ///
  /// The default quality does what the quality does.
  package static var names: Set<String> {
    let options = EncodeOptions()
    let labels = [Mirror(reflecting: options), Mirror(reflecting: options.asked)].flatMap { $0.children.map(\.label) }
    return Set(labels.compactMap { $0 }).subtracting(["asked", "defaultQuality"])
  }

  /// The names of the options that a walk changes.
  package static var changedNames: Set<String> { Set(changes(limit: 1).map(\.name)) }

  private static func changes(limit: Int) -> [(name: String, change: (inout EncodeOptions) -> Void)] {
    [
      ("quality", { $0.quality = 0.3 }), ("lossless", { $0.lossless.toggle() }),
      ("maxPixelSize", { $0.maxPixelSize = PixelSize(width: 9, height: 9) }),
      ("maxFileBytes", { $0.maxFileBytes = limit }),
      ("backgroundColor", { $0.backgroundColor = .black }), ("firstFrameOnly", { $0.firstFrameOnly = true }),
      ("progressive", { $0.progressive = true }), ("chromaSubsampling", { $0.chromaSubsampling = .full }),
      ("compressionLevel", { $0.compressionLevel = 0 }), ("allowsPalette", { $0.allowsPalette = true }),
      ("keepsMetadata", { $0.keepsMetadata = true }), ("keepsCopyright", { $0.keepsCopyright = true }),
      ("keepsGainMap", { $0.keepsGainMap = false }),
      ("settings", { $0.settings[EncodeOptions.Setting<Int>("setting-of-no-coder")] = 1 }),
    ]
  }

  /// A still picture of few colours and alpha, and a moving one; both have metadata.
  private static func pictures() throws -> [Image] {
    let bitmaps = try (0..<3).map { number in
      try Bitmap(64, 48, .rgba8) { x, y in
        [x / 4 * 16, 255 - x / 4 * 8, y / 6 * 30, x < 8 ? 40 * number : y / 12 * 64 + 60]
      }
    }
    let frames = Frames(bitmaps: bitmaps, durations: bitmaps.map { _ in .milliseconds(50) })
    let map = GainMap(
      try Bitmap.noise(8, 6, .gray8), formula: GainMap.Formula(greatestGain: .one, alternateHeadroom: 1))
    return [Image(bitmaps[0]), frames.image].map { image in
      var image = image
      // A block with a copyright and nothing else.
      image.metadata.exif = Data(
        [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x98, 0x82, 2, 0, 3, 0, 0, 0, 77, 101, 0, 0, 0, 0, 0, 0])
      image.metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8)
      image.metadata.gainMap = map
      return image
    }
  }
}
