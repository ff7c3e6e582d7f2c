import Glibc

/// Handles a reader of the results that stops reading, as in `easel cache list | head`.
enum BrokenPipe {
  /// Ends the program silently if the error is a broken pipe.
  static func endProgram(after code: Int32) {
    guard code == EPIPE else { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}
