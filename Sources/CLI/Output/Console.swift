import EaselCore
import Glibc

/// Where results and everything else are printed, a whole line at a time.
final class Console: Sendable {
  private let output: Int32
  private let errors: Int32
  private let bar = Locked<String?>(nil)
  private let lost = Locked(false)
  /// Whether standard error is a terminal.
  let areErrorsShown: Bool

  init(output: Int32 = STDOUT_FILENO, errors: Int32 = STDERR_FILENO) {
    self.output = output
    self.errors = errors
    areErrorsShown = isatty(errors) == 1
  }

  /// Whether escape sequences may colour what goes to standard error.
  var mayColor: Bool { areErrorsShown && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true }

  /// Whether a result could not be printed, on a full disk for instance.
  var hasLostResults: Bool { lost.withLock { $0 } }

  /// Prints a line of the result.
  func result(_ line: String) {
    bar.withLock { bar in
      // Both may be the same terminal.
      if bar != nil { _ = Self.write("\r\u{1B}[K", to: errors) }
      if !Self.write(line + "\n", to: output) { lost.withLock { $0 = true } }
      if let bar { _ = Self.write(bar, to: errors) }
    }
  }

  /// Prints a line that is no result.
  func note(_ line: String) {
    bar.withLock { bar in
      _ = Self.write((bar == nil ? "" : "\r\u{1B}[K") + line + "\n" + (bar ?? ""), to: errors)
    }
  }

  /// Says what went wrong with an input.
  func failure(of input: String, _ error: ImageError) {
    // A message often says already what the cause was.
    let causes = error.causes.map { "\($0)" }.filter { !error.message.contains($0) }
    let more = causes.isEmpty ? "" : " Cause: " + causes.joined(separator: "; ")
    let label = mayColor ? "\u{1B}[31measel:\u{1B}[0m" : "easel:"
    note("\(label) \(printable(input)): \(printable(error.message + more))")
  }

  /// Shows a line that later ones replace, nil to take it away; only on a terminal.
  func progress(_ line: String?) {
    guard areErrorsShown else { return }
    bar.withLock { bar in
      guard line != nil || bar != nil else { return }
      bar = line
      _ = Self.write("\r\u{1B}[K" + (line ?? ""), to: errors)
    }
  }

  private static func write(_ text: String, to file: Int32) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(file, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
  }
}
