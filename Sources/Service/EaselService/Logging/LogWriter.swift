import EaselCore
import EaselSupport
import Glibc

/// Writes lines on a thread of its own, so that a slow reader of the log never delays a request.
///
/// While lines come faster than they are written, they wait in a bounded buffer. What does not fit is dropped and
/// counted, and a line says so as soon as there is room.
package final class LogWriter: Sendable {
  private let buffer: Buffer

  /// Starts the thread that writes the lines.
  ///
  /// `notice` makes the line about dropped ones. `write` may block; it is given whole lines with their line breaks.
  package init(
    capacity: Int = 4096, notice: @escaping @Sendable (_ dropped: Int) -> String,
    write: @escaping @Sendable (String) -> Void = { LogWriter.writeToStandardError($0) }
  ) {
    let buffer = Buffer(capacity: max(1, capacity), notice: notice, write: write)
    self.buffer = buffer
    if !PlainThread.start({ while buffer.writeNext() {} }) { buffer.writeAtOnce() }
  }

  deinit { buffer.close() }

  /// Queues a line, without its line break; it never waits.
  package func write(_ line: String) { buffer.add(line) }

  /// The number of lines that were dropped so far.
  package var droppedCount: Int { buffer.droppedCount }

  /// Writes what is queued, at most for the given time, and drops all later lines; true when everything was written.
  ///
  /// It blocks, so call it at the end of a program.
  @discardableResult
  package func close(withinMilliseconds milliseconds: Int = 1000) -> Bool {
    buffer.close()
    return buffer.waitForEnd(milliseconds: milliseconds)
  }

  package static func writeToStandardError(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        if count < 0 && errno == EAGAIN {
          var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&descriptor, 1, 1000)
          continue
        }
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// The queue between the requests and the thread; the thread keeps it alive.
  private final class Buffer: Sendable {
    private struct State {
      var lines: [String] = []
      var dropped = 0
      var untold = 0
      var isClosed = false
      var isAsleep = false
      var writesAtOnce = false
    }

    private let capacity: Int
    private let notice: @Sendable (Int) -> String
    private let output: @Sendable (String) -> Void
    private let state = Locked(State())
    private let wakeUp = Semaphore()
    private let end = Semaphore()

    init(capacity: Int, notice: @escaping @Sendable (Int) -> String, write: @escaping @Sendable (String) -> Void) {
      self.capacity = capacity
      self.notice = notice
      output = write
    }

    var droppedCount: Int { state.withLock { $0.dropped } }

    /// Used when the system allows no thread.
    func writeAtOnce() { state.withLock { $0.writesAtOnce = true } }

    func add(_ line: String) {
      let (wakes, writesAtOnce) = state.withLock { state in
        if state.isClosed { return (false, false) }
        if state.writesAtOnce { return (false, true) }
        guard state.lines.count < capacity else {
          state.dropped += 1
          state.untold += 1
          return (false, false)
        }
        state.lines.append(line)
        defer { state.isAsleep = false }
        return (state.isAsleep, false)
      }
      if wakes { wakeUp.signal() }
      if writesAtOnce { output(line + "\n") }
    }

    /// Writes the queued lines, or waits for some; false when the thread may end.
    func writeNext() -> Bool {
      let (lines, untold, isClosed) = state.withLock { state in
        let (lines, untold) = (state.lines, state.untold)
        state.lines = []
        state.untold = 0
        state.isAsleep = lines.isEmpty && !state.isClosed
        return (lines, untold, state.isClosed)
      }
      guard lines.isEmpty else {
        let all = untold > 0 ? lines + [notice(untold)] : lines
        output(all.joined(separator: "\n") + "\n")
        return true
      }
      guard !isClosed else {
        end.signal()
        return false
      }
      wakeUp.wait()
      return true
    }

    func close() {
      let (wakes, isOver) = state.withLock { state in
        defer {
          state.isClosed = true
          state.isAsleep = false
        }
        return (state.isAsleep, state.writesAtOnce)
      }
      if wakes { wakeUp.signal() }
      if isOver { end.signal() }
    }

    func waitForEnd(milliseconds: Int) -> Bool {
      guard end.wait(milliseconds: milliseconds) else { return false }
      // For the next caller.
      end.signal()
      return true
    }
  }
}
