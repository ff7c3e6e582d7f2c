import Easel

/// The format of the results: one, or several of which the smallest file counts.
struct WantedFormat: Sendable {
  /// One format, or several.
  let formats: [ImageFormat]

  /// The formats that every browser of today reads.
  private static let best: [ImageFormat] = [.avif, .webp, .jpeg, .png]

  /// Reads the name of a format, several names between commas, or `best`.
  init?(reading text: String) {
    guard text != Self.bestName else {
      formats = Self.best
      return
    }
    var formats: [ImageFormat] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let format = FormatNames.writtenFormat(named: String(name)), !formats.contains(format) else { return nil }
      formats.append(format)
    }
    self.formats = formats
  }

  /// The format, if there is only one.
  var only: ImageFormat? { formats.count == 1 ? formats[0] : nil }

  /// The word that stands for all formats that are tried.
  static let bestName = "best"
}
