import EaselCore

/// Reads the scale factor from the name of a picture, as in `photo@2x.png`.
package enum ScaleInName {
  /// The scale factor in a name, or nil.
  ///
  /// The factor is a digit from 1 to 9 between `@` and `x`, at the end of the name without its extension. The `@` may
  /// be written as `%40`.
  package static func factor(of path: String) -> Double? {
    let name = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    guard stem.hasSuffix("x"), let digit = stem.dropLast().last, digit.isASCII, let factor = digit.wholeNumberValue,
      factor > 0
    else { return nil }
    let before = stem.dropLast(2)
    return before.hasSuffix("@") || before.hasSuffix("%40") ? Double(factor) : nil
  }
}
