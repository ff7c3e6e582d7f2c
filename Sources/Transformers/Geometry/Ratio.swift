import EaselCore

/// The ratio of width to height that two numbers name.
enum Ratio {
  /// The quotient, or NaN, which ``BitmapTransformer/check(ratio:)`` refuses, unless both numbers are above 0.
  static func of(_ width: Double, to height: Double) -> Double { width > 0 && height > 0 ? width / height : .nan }
}

extension BitmapTransformer {
  func check(ratio: Double) throws(ImageError) {
    try require(ratio > 0 && ratio.isFinite, "both numbers of the ratio must be above 0, and their quotient finite")
  }
}
