/// The scale factor that the name of a picture states, as in `photo@2x.png`.
enum ScaleInName {
  /// The factor, a digit from 1 on between `@` and `x` at the end of the name without its extension; nil where there is
  /// none.
  static func factor(of path: String) -> Double? {
    let name = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last ?? ""
    let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    guard stem.hasSuffix("x"), let at = stem.lastIndex(of: "@") else { return nil }
    let digits = stem[stem.index(after: at)...].dropLast()
    guard digits.utf8.count == 1, let factor = Int(digits), factor > 0 else { return nil }
    return Double(factor)
  }
}
