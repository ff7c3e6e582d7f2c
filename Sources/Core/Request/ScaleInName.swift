/// Reads the scale factor from the name of a picture, as in `photo@2x.png`.
enum ScaleInName {
  /// The scale factor in a name, or nil.
  ///
  /// It is a digit from 1 to 9 between `@` and `x`, at the end of the name without its extension.
  static func factor(of path: String) -> Double? {
    let name = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    guard stem.hasSuffix("x"), let at = stem.lastIndex(of: "@") else { return nil }
    let digits = stem[stem.index(after: at)...].dropLast()
    guard digits.utf8.count == 1, let factor = Int(digits), factor > 0 else { return nil }
    return Double(factor)
  }
}
