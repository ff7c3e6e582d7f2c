import EaselCore
import Glibc

/// Prints results and messages, a whole line at a time.
final class Console: Sendable {
  private let output: Int32
  private let errors: Int32
  // The lines at the bottom of the terminal that are replaced from time to time.
  private let bars = Locked<[String]>([])
  private let lost = Locked(false)
  /// True when standard error is a terminal.
  let areErrorsShown: Bool

  init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
    self.output = output
    self.errors = errors
    areErrorsShown = isatty(errors) == 1
  }

  /// True when escape sequences may colour standard error.
  var mayColor: Bool { areErrorsShown && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// True when a result could not be printed, for instance on a full disk.
  var hasLostResults: Bool { lost.withLock { $0 } }

  /// Prints a line of results.
  func result(_ line: String) {
    bars.withLock { bars in
      // Output and errors may go to the same terminal.
      _ = Self.write(Self.erasing(bars), to: errors)
      if !Self.write(line + "\n", to: output) { lost.withLock { $0 = true } }
      _ = Self.write(bars.joined(separator: "\n"), to: errors)
    }
  }

  /// Prints a line that is not a result.
  func note(_ line: String) {
    bars.withLock { bars in
      _ = Self.write(Self.erasing(bars) + line + "\n" + bars.joined(separator: "\n"), to: errors)
    }
  }

  /// Prints the error of an input.
  func failure(of input: String, _ error: ImageError) {
    // The message often contains the cause already.
    let causes = error.causes.map { "\($0)" }.filter { !error.message.contains($0) }
    let more = causes.isEmpty ? "" : " Cause: " + causes.joined(separator: "; ")
    let label = mayColor ? "\u{1B}[31measel:\u{1B}[0m" : "easel:"
    note("\(label) \(printable(input)): \(printable(error.message + more))")
  }

  /// Shows lines that the next call replaces; an empty list removes them.
  ///
  /// Does nothing without a terminal.
  func progress(_ lines: [String]) {
    guard areErrorsShown else { return }
    let width = columns
    bars.withLock { bars in
      let old = Self.erasing(bars)
      // A wrapped line could not be erased.
      bars = lines.map { String($0.prefix(max(20, width - 1))) }
      _ = Self.write(old + bars.joined(separator: "\n"), to: errors)
    }
  }

  private var columns: Int {
    var size = winsize()
    return ioctl(errors, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  private static func erasing(_ lines: [String]) -> String {
    guard let further = lines.indices.last else { return "" }
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[1A\u{1B}[K", count: further)
  }

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
