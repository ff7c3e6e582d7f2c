import EaselCore
import EaselSupport
import Glibc

/// Delivers signals as bytes in a pipe, so that a program can wait for signals and other events at once.
///
/// As long as the pipe exists, the signals are blocked in this thread and in threads that start later.
struct SignalPipe {
  let descriptor: Int32

  init?(_ signals: [Int32]) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = ends[0]
    let (writer, waiting) = (ends[1], set)
    PlainThread.start {
      var set = waiting
      var signal: Int32 = 0
      while sigwait(&set, &signal) == 0 {
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(writer, &byte, 1)
      }
    }
  }

  /// The next signal; blocks until one arrives.
  func next() -> Int32 {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : 0
  }

  /// The next signal within `time`; nil if no signal arrives.
  func next(within time: Duration) -> Int32? {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, Int32(clamping: Int(time / .milliseconds(1)))) > 0 ? next() : nil
  }

  /// Performs a signal's default action: ends the process, or stops it until it is continued.
  static func deliver(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    raise(number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}
