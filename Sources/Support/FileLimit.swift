import Glibc

/// Handles the limit on the size of files that a process may have (`ulimit -f`).
///
/// The system ends a process that writes beyond the limit (SIGXFSZ). If the thread blocks that signal, the write fails
/// instead, as on a full disk. A library must not change how the process handles the signal.
package enum FileLimit {
  /// Makes writes beyond the limit fail on the calling thread from now on.
  ///
  /// The thread must belong to the library.
  package static func becomeError() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Makes writes beyond the limit fail while `body` runs, on any thread.
  package static func asError<Result>(_ body: () throws -> Result) rethrows -> Result {
    var (signals, before) = (signals, sigset_t())
    guard pthread_sigmask(SIG_BLOCK, &signals, &before) == 0, sigismember(&before, SIGXFSZ) == 0 else {
      return try body()
    }
    defer {
      // A signal that is still pending would end the process now.
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
