import EaselCore
import EaselPixels

extension EncodeOptions {
  /// The options for a quality in the numbers of the library, which rivals take too.
  static func library(quality: Double = 0.8) -> EncodeOptions {
    var options = EncodeOptions(quality: quality)
    options.settings[.qualityScale] = .library
    return options
  }
}
