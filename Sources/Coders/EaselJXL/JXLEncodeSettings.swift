import EaselCoding
import EaselCore
import Glibc

/// The settings of the compression, with every value in its range.
struct JXLEncodeSettings: FrameSettings {
  var isLossless: Bool
  /// The quality from 0 to 1.
  var quality: Double
  /// The effort from 1 to 9.
  var effort: Int

  static let usualEffort = 4

  init(_ options: EncodeOptions) {
    isLossless = options.lossless
    quality = LooksTable.jxl.library(options)
    effort = min(9, max(1, options.settings[.jxlEffort] ?? Self.usualEffort))
  }

  /// These settings at another quality.
  func at(quality: Double) -> JXLEncodeSettings {
    var settings = self
    settings.quality = quality
    return settings
  }

  /// The distance between the written picture and the original; at 1, changes are just visible.
  ///
  /// The mapping is the mapping of libjxl's own program, where quality 0.9 gives distance 1. No distance is below 0.05.
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
    if !lossless { LooksTable.jxl.takeLooks(of: self, into: &result, FileSizeSearch.sensible) }
    if settings.effort != JXLEncodeSettings.usualEffort { result.settings[.jxlEffort] = settings.effort }
    return result
  }
}
