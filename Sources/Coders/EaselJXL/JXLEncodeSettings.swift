import EaselCoding
import EaselCore
import Glibc

/// The settings of the compression, with every value in its range.
struct JXLEncodeSettings: FrameSettings {
  var isLossless: Bool
  /// From 0 to 1.
  var quality: Double
  /// From 1 to 9.
  var effort: Int

  static let usualEffort = 4

  init(_ options: EncodeOptions) {
    isLossless = options.lossless
    quality = FileSizeSearch.sensible(options.quality)
    effort = min(9, max(1, options.settings[.jxlEffort] ?? Self.usualEffort))
  }

  /// The same at another quality.
  func at(quality: Double) -> JXLEncodeSettings {
    var settings = self
    settings.quality = quality
    return settings
  }

  /// The distance from the picture at which its changes are just visible is 1.
  ///
  /// The mapping is that of libjxl's own program, of which 0.9 is the distance 1; no distance is below 0.05.
  var distance: Double {
    let percent = quality * 100
    guard percent < 30 else { return max(0.05, 0.1 + (100 - percent) * 0.09) }
    return min(25, 6.4 + pow(2.5, (30 - percent) / 5) / 6.25)
  }
}

extension EncodeOptions {
  /// The options that change JPEG XL files, with every value in its range.
  var effectiveForJXL: EncodeOptions {
    let settings = JXLEncodeSettings(self)
    var result = commonToAllFormats
    result.keepsCopyright = keepsCopyrightAlone
    result.asked.lossless = asked.lossless
    result.firstFrameOnly = firstFrameOnly
    if !lossless { result.takeQuality(of: self, FileSizeSearch.sensible) }
    if settings.effort != JXLEncodeSettings.usualEffort { result.settings[.jxlEffort] = settings.effort }
    return result
  }
}
