import EaselCore
import Glibc

/// Signals as bytes in a pipe, so that a program can wait for them beside other things.
///
/// From when it is made on, the signals do nothing by themselves in threads that are started later.
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

  /// The next signal; it blocks until there is one.
  func next() -> Int32 {
    var byte: UInt8 = 0
    return read(descriptor, &byte, 1) == 1 ? Int32(byte) : 0
  }

  /// Lets a signal do what it does by default: end the process, or stop it until it is continued.
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
