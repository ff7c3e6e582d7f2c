import Glibc

/// Handles the limit on the size of files that a process may write (`ulimit -f`).
///
/// The system ends a process that writes beyond the limit (SIGXFSZ). If the thread blocks that signal, the write fails
/// instead, as on a full disk. A library must not change the signal handling of the whole process.
package enum FileLimit {
  /// From now on, makes writes beyond the limit fail on the calling thread.
  ///
  /// The thread must belong to the library.
  package static func becomeError() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Makes writes beyond the limit fail while `body` runs; works on any thread.
  package static func asError<Result>(_ body: () throws -> Result) rethrows -> Result {
    var (signals, before) = (signals, sigset_t())
    guard pthread_sigmask(SIG_BLOCK, &signals, &before) == 0, sigismember(&before, SIGXFSZ) == 0 else {
      return try body()
    }
    defer {
      // A pending signal is removed here, because it would end the process when the thread unblocks it.
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
