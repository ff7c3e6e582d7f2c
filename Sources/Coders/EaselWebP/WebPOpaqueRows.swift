import CEaselWebP
import EaselCore

/// Makes rows opaque on a second thread while libwebp decodes the next ones.
///
/// Doing so afterwards would add a tenth to the decoding time, because every row would be read again.
final class WebPOpaqueRows {
  /// Consecutive rows that are not yet processed.
  private struct Due {
    var start: UnsafeMutableRawPointer
    var bytesPerRow: Int
    var width: Int
    var count: Int
  }

  private struct State {
    var due: Due?
    var isOver = false

    mutating func finish() {
      if let due { easel_webp_make_opaque(due.start, due.bytesPerRow, due.width, due.count) }
      due = nil
    }
  }

  private let width: Int
  private let state = Locked(State())
  private let hasMore = Semaphore()

  /// Without a thread, ``settle()`` does all the work.
  init(width: Int, usesThread: Bool) {
    self.width = width
    guard usesThread else { return }
    // The thread works under the lock, so a caller of `settle()` either waits for it or does the work itself.
    PlainThread.start { [state, hasMore] in
      repeat {
        hasMore.wait()
      } while state.withLock { state in
        state.finish()
        return !state.isOver
      }
    }
  }

  deinit {
    state.withLock { $0.isOver = true }
    hasMore.signal()
  }

  /// Queues the next rows, which must not be touched before ``settle()``.
  func take(_ start: UnsafeMutableRawPointer, bytesPerRow: Int, count: Int) {
    guard count > 0 else { return }
    state.withLock { state in
      if state.due == nil {
        state.due = Due(start: start, bytesPerRow: bytesPerRow, width: width, count: count)
      } else {
        state.due?.count += count
      }
    }
    hasMore.signal()
  }

  /// Returns once all queued rows are opaque.
  func settle() { state.withLock { $0.finish() } }
}
