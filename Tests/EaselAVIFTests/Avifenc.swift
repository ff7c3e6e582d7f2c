import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

/// The encoder of libavif.
enum Avifenc {
  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/avifenc")
  static let isMissing: Comment = "There is no avifenc: install the package libavif-bin."

  /// The file of a program that reads pixels from a PNG; nil if it fails.
  static func written(_ program: [String], of png: ImageBytes) throws -> [UInt8]? {
    try EaselTestPixels.Process.converted(png, from: "png", to: "avif", by: program)?.array
  }
}
