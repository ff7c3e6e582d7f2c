import Glibc

/// Shows the cursor again when a signal ends or stops the program while it is hidden.
enum CursorGuard {
  /// Handles the signals that end or stop a program, except the signals that the program ignores.
  static func install() {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      // A program under nohup must still ignore the signal.
      guard action.__sigaction_handler.sa_handler == nil else { continue }
      Glibc.signal(number, restoreCursor)
    }
  }
}

/// Calls only functions that a signal handler may call.
private func restoreCursor(_ number: Int32) {
  let code = errno
  let bytes: StaticString = "\u{1B}[?2026l\u{1B}[?25h\r\n"
  _ = write(STDERR_FILENO, bytes.utf8Start, bytes.utf8CodeUnitCount)
  signal(number, SIG_DFL)
  raise(number)
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, number)
  // The default action happens here. A stopped program continues after this line.
  pthread_sigmask(SIG_UNBLOCK, &set, nil)
  signal(number, restoreCursor)
  errno = code
}
