import EaselCore
import EaselSupport
import Glibc

/// Runs work on another thread while this one handles signals.
enum BackgroundThread {
  /// Runs `body`; a signal that ends or stops the program takes effect at once, after `onSignal`.
  static func run<Value: Sendable>(
    heeding signals: SignalPipe, onSignal: () -> Void = {}, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return try body() }
    let (reader, writer) = (ends[0], ends[1])
    defer { close(reader) }
    let result = Locked<Result<Value, any Error>?>(nil)
    let hasStarted = PlainThread.start {
      let made = Result { try body() }
      result.withLock { $0 = made }
      close(writer)
    }
    guard hasStarted else {
      close(writer)
      return try body()
    }
    while true {
      var events = [
        pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&events, 2, -1) > 0 else { continue }
      if events[0].revents != 0 { return try result.withLock { $0! }.get() }
      let signal = signals.next()
      guard signal != SIGWINCH else { continue }
      onSignal()
      SignalPipe.deliver(signal)
    }
  }
}
