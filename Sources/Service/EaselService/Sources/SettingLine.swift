/// A line `key = value` of a text of settings.
///
/// A line that begins with `#` is a comment. Values are taken as they are, without quotes; blanks at their ends do not
/// count.
package struct SettingLine: Hashable, Sendable {
  /// The number of the line; the first is 1.
  package let number: Int
  package let name: String
  package let value: String

  /// Reads a line; nil if it has no equals sign.
  package init?(_ text: String, number: Int) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    self.number = number
    name = Self.trimmed(text[..<equals])
    value = Self.trimmed(text[text.index(after: equals)...])
  }

  /// The lines of a text that are neither empty nor comments, with their numbers.
  package static func lines(of text: String) -> [(number: Int, text: String)] {
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    // A line break of Windows is one character, so lines are split at its last scalar.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, scalars in
      let line = trimmed(String(String.UnicodeScalarView(scalars)))
      return line.isEmpty || line.hasPrefix("#") ? nil : (index + 1, line)
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" || character == "\r" }
    guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(text[...last].drop(while: isBlank))
  }
}
