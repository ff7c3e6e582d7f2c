import Glibc

/// What a program does when nobody reads its results any more, as `easel cache list | head` makes it happen.
enum BrokenPipe {
  /// Ends the program without a word if that is what went wrong.
  static func endProgram(after code: Int32) {
    guard code == EPIPE else { return }
    signal(SIGPIPE, SIG_DFL)
    raise(SIGPIPE)
  }
}
