import EaselCore
import EaselSupport
import Glibc

/// Prints results and messages, a whole line at a time.
final class Console: Sendable {
  private let output: Int32
  private let errors: Int32
  // The lines at the bottom of the terminal, which are replaced from time to time.
  private let bars = Locked<[String]>([])
  private let isQuiet = Locked(false)
  private let lost = Locked(false)
  private let advice = Locked(LimitAdvice())
  /// True if standard error is a terminal.
  let areErrorsShown: Bool

  init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
    self.output = output
    self.errors = errors
    areErrorsShown = isatty(errors) == 1
  }

  /// True if escape sequences may colour standard error.
  var mayColor: Bool { areErrorsShown && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// True if progress is shown: on a terminal that can move its cursor, unless the user turned it off.
  var showsProgress: Bool {
    areErrorsShown && getenv("TERM").map { String(cString: $0) != "dumb" } ?? false && !isQuiet.withLock { $0 }
  }

  /// Shows no progress from now on.
  func hideProgress() { isQuiet.withLock { $0 = true } }

  /// True if a result could not be printed, for instance on a full disk.
  var hasLostResults: Bool { lost.withLock { $0 } }

  /// Prints a line of results.
  func result(_ line: String) {
    bars.withLock { bars in
      // Output and errors may go to the same terminal.
      if !bars.isEmpty { _ = Self.write(Self.beginFrame + erasing(bars), to: errors) }
      if !Self.write(line + "\n", to: output) { lost.withLock { $0 = true } }
      if !bars.isEmpty { _ = Self.write(bars.joined(separator: "\n") + Self.endFrame, to: errors) }
    }
  }

  /// Prints a line that is not a result.
  func note(_ line: String) {
    bars.withLock { bars in
      let text = bars.isEmpty ? line + "\n" : frame(erasing(bars) + line + "\n" + bars.joined(separator: "\n"))
      _ = Self.write(text, to: errors)
    }
  }

  /// Uses the options of this command in messages from now on.
  func speak(of command: CommandDescription) { advice.withLock { $0 = LimitAdvice(for: command) } }

  /// A message of the library, reworded for the program.
  func wording(_ message: String) -> String { advice.withLock { $0 }.applied(to: message) }

  /// Prints the error of an input.
  func failure(of input: String, _ error: ImageError) {
    // The message often contains the cause already.
    let causes = error.causes.map { "\($0)" }.filter { !error.message.contains($0) }
    let more = causes.isEmpty ? "" : " Cause: " + causes.joined(separator: "; ")
    let label = mayColor ? "\u{1B}[31measel:\u{1B}[0m" : "easel:"
    note("\(label) \(printable(input)): \(printable(wording(error.message + more)))")
  }

  /// Shows lines that the next call replaces; an empty list removes them.
  ///
  /// Without a terminal, the function does nothing. The cursor is hidden while lines are shown.
  func progress(_ lines: [String]) {
    guard showsProgress else { return }
    let width = size.columns
    bars.withLock { bars in
      guard bars != lines else { return }
      if bars.isEmpty { CursorGuard.install() }
      // A wrapped line would be hard to erase.
      let new = lines.map { TextWidth.cut($0, to: max(1, width - 1)) }
      let text = redrawing(bars, as: new)
      bars = new
      _ = Self.write(new.isEmpty ? frame(text) + Self.showCursor : frame(Self.hideCursor + text), to: errors)
    }
  }

  /// The size of the terminal in cells.
  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(errors, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  // A terminal that knows these sequences shows everything between them at once. Other terminals ignore them.
  private static let beginFrame = "\u{1B}[?2026h"
  private static let endFrame = "\u{1B}[?2026l"
  private static let hideCursor = "\u{1B}[?25l"
  private static let showCursor = "\u{1B}[?25h"

  private func frame(_ text: String) -> String { Self.beginFrame + text + Self.endFrame }

  private func erasing(_ lines: [String]) -> String { redrawing(lines, as: []) }

  /// Writes new lines over old lines; if the window has become narrower, the terminal has wrapped the old lines.
  ///
  /// Each row is erased separately, because terminals may keep in their history what is erased from the top to the end.
  private func redrawing(_ old: [String], as new: [String]) -> String {
    let width = max(1, size.columns)
    let rows = old.reduce(0) { $0 + max(1, (TextWidth.cells(of: $1) + width - 1) / width) }
    var text = rows > 0 ? "\r" + Self.up(rows - 1) : ""
    text += new.map { $0 + Self.eraseRest }.joined(separator: "\n")
    guard rows > new.count else { return text }
    let surplus = rows - new.count
    if new.isEmpty {
      text +=
        Self.eraseRest + String(repeating: "\n" + Self.eraseRest, count: surplus - 1) + Self.up(surplus - 1) + "\r"
    } else {
      text += String(repeating: "\n" + Self.eraseRest, count: surplus) + Self.up(surplus)
    }
    return text
  }

  private static let eraseRest = "\u{1B}[K"

  private static func up(_ rows: Int) -> String { rows > 0 ? "\u{1B}[\(rows)A" : "" }

  private static func write(_ text: String, to file: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(file, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          if file == STDOUT_FILENO { BrokenPipe.endProgram(after: errno) }
          return false
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }
}
