import Easel
import EaselService
import EaselSupport
import FoundationEssentials
import Glibc

/// A file of `key = value` lines.
struct ConfigurationFile: Sendable {
  let path: String
  let lines: [SettingLine]

  /// The most bytes of a file; anything larger is not one.
  static let mostBytes = 1 << 20

  /// Reads the lines; `mistakes` are those that are no setting.
  init(_ text: String, path: String, mistakes: inout [String]) {
    self.path = path
    var lines: [SettingLine] = []
    for (number, text) in SettingLine.lines(of: text) {
      if let line = SettingLine(text, number: number) {
        lines.append(line)
      } else {
        // The line may hold a secret, so it is not shown.
        mistakes.append("\(Self.place(path, number)): the line is no setting. Write it as key = value.")
      }
    }
    self.lines = lines
  }

  static func place(_ path: String, _ line: Int) -> String { "\(printable(path)), line \(line)" }
}

/// A mistake in the settings: a sentence that names the place, the value, and what is allowed.
struct ServeMistake: Error, Hashable, Sendable {
  let message: String
  init(_ message: String) { self.message = message }
}
