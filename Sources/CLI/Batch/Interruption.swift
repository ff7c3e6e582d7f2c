import EaselSupport
import Glibc

/// Ends the program on the request of the user or the system, without leaving incomplete files.
enum Interruption {
  /// Calls `farewell` when a signal arrives, and then ends the program with this signal.
  ///
  /// Call this function before other threads start, because they inherit the blocked signals. Signals that the program
  /// ignores, as under nohup, stay ignored.
  static func handle(_ farewell: @escaping @Sendable () -> Void) {
    var signals = sigset_t()
    sigemptyset(&signals)
    let ignored = unsafeBitCast(SIG_IGN, to: Int.self)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      sigaction(number, nil, &action)
      guard unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != ignored else { continue }
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let waiting = signals
    let hasStarted = PlainThread.start {
      var signals = waiting
      var number: Int32 = 0
      while sigwait(&signals, &number) != 0 {}
      OutputFile.removeIncompleteFiles {
        farewell()
        SignalPipe.deliver(number)
      }
    }
    // Without the thread, signals end the program in their default way.
    if !hasStarted { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }
}
