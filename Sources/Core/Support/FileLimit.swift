import Glibc

/// The limit that a process may have for the size of its files (`ulimit -f`).
///
/// The system ends a process that writes beyond it (SIGXFSZ), unless the thread blocks that signal: then the write fails,
/// as on a full disk. What the signal means to the process is not a library's to change.
package enum FileLimit {
  /// Has writes beyond the limit fail on the calling thread, which must be one of our own, from now on.
  package static func becomeError() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Has writes beyond the limit fail while `body` runs, on whatever thread that is.
  package static func asError<Result>(_ body: () throws -> Result) rethrows -> Result {
    var (signals, before) = (signals, sigset_t())
    guard pthread_sigmask(SIG_BLOCK, &signals, &before) == 0, sigismember(&before, SIGXFSZ) == 0 else {
      return try body()
    }
    defer {
      // A signal that came meanwhile would end the process now.
      var noTime = timespec()
      while sigtimedwait(&signals, nil, &noTime) == SIGXFSZ {}
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return try body()
  }

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    return signals
  }
}
