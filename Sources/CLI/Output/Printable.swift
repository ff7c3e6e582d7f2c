import EaselCore

/// Replaces the passwords in URLs, and control characters, with which a file name or a server could control the
/// terminal.
func printable(_ text: String) -> String {
  let text = ShownURL.text(text)
  guard text.unicodeScalars.contains(where: isControl) else { return text }
  return text.unicodeScalars.map { isControl($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator: true
  default: false
  }
}
