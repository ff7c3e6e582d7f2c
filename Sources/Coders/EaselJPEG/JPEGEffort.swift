import EaselCore

/// How much work is done for a small file.
enum JPEGEffort: Int {
  /// libjpeg-turbo makes the coefficients, row after row.
  case fast = 1
  /// Our own coefficients, which are in memory until the end.
  case usual
  /// The same in several passes.
  case smallest

  init(_ options: EncodeOptions) {
    let asked = options.settings[.jpegEffort] ?? Self.usual.rawValue
    var effort = Self(rawValue: min(Self.smallest.rawValue, max(Self.fast.rawValue, asked)))!
    // The passes are all that the most effort adds.
    if effort == .smallest && options.asked.progressive == false { effort = .usual }
    self = effort
  }

  /// The most pixels of a picture whose coefficients are kept: up to 6 bytes for each.
  private static let mostPixels = 16_000_000

  /// The effort for a picture of this size: the least for one whose coefficients would take too much memory.
  func forPicture(of size: PixelSize) -> JPEGEffort {
    size.width > Self.mostPixels / max(1, size.height) ? .fast : self
  }
}
