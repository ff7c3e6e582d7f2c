/// A size of thumbnails in the shared cache of a desktop, with a folder of its own.
enum ThumbnailSize: Int, CaseIterable, Sendable {
  case normal = 128
  case large = 256
  case xLarge = 512
  case xxLarge = 1024

  /// The pixels of the longer side.
  var pixels: Int { rawValue }

  var folder: String {
    switch self {
    case .normal: "normal"
    case .large: "large"
    case .xLarge: "x-large"
    case .xxLarge: "xx-large"
    }
  }

  /// The smallest size that has so many pixels, or the largest one.
  init(atLeast pixels: Int) { self = Self.allCases.first { $0.pixels >= pixels } ?? .xxLarge }
}
