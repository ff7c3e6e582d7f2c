/// The sizes that a page states for an icon.
enum IconSize {
  /// The longest side in a text such as `16x16 32x32`; nil if it says nothing.
  ///
  /// That of drawings, `any`, is longer than all.
  static func side(_ text: String?) -> Int? {
    text?.lowercased().split { $0.isWhitespace }.compactMap { size in
      size == "any" ? 100_000 : size.split(separator: "x").compactMap { Int($0) }.filter { $0 <= 100_000 }.max()
    }.max()
  }
}
