import EaselSupport
import Glibc

/// Ends the program when the user or the system asks for it, without half files.
enum Interruption {
  /// Calls `farewell` when a signal comes, and then ends the program by that signal.
  ///
  /// Call it before other threads start, because they inherit that the signals are blocked. Signals that the program
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
    // Then signals end the program as if nobody handled them.
    if !hasStarted { pthread_sigmask(SIG_UNBLOCK, &signals, nil) }
  }
}
