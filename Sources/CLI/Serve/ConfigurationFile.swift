import Easel
import EaselSupport
import FoundationEssentials
import Glibc

/// A file of `key = value` lines.
///
/// A line that begins with `#` is a comment. Values are taken as they are, without quotes; blanks at their ends do not
/// count.
struct ConfigurationFile: Sendable {
  struct Line: Hashable, Sendable {
    let number: Int
    let name: String
    let value: String
  }

  let path: String
  let lines: [Line]

  /// The most bytes of a file; anything larger is not one.
  static let mostBytes = 1 << 20

  /// Reads the lines; `mistakes` are those that are no setting.
  init(_ text: String, path: String, mistakes: inout [String]) {
    self.path = path
    var lines: [Line] = []
    for (number, line) in Self.content(of: text) {
      guard let equals = line.firstIndex(of: "=") else {
        // The line may hold a secret, so it is not shown.
        mistakes.append("\(Self.place(path, number)): the line is no setting. Write it as key = value.")
        continue
      }
      let name = line[..<equals].trimmed
      lines.append(Line(number: number, name: name, value: line[line.index(after: equals)...].trimmed))
    }
    self.lines = lines
  }

  /// The lines that are neither empty nor comments, with their numbers.
  static func content(of text: String) -> [(number: Int, text: String)] {
    let text = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    // A line break of Windows is one character, so lines are split at its last scalar.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().compactMap { index, scalars in
      let line = String(String.UnicodeScalarView(scalars)).trimmed
      return line.isEmpty || line.hasPrefix("#") ? nil : (index + 1, line)
    }
  }

  static func place(_ path: String, _ line: Int) -> String { "\(printable(path)), line \(line)" }
}

/// A mistake in the settings: a sentence that names the place, the value, and what is allowed.
struct ServeMistake: Error, Hashable, Sendable {
  let message: String
  init(_ message: String) { self.message = message }
}
