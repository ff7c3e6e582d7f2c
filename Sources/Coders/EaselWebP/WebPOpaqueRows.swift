import CEaselWebP
import EaselCore

/// Makes rows opaque while libwebp makes the next ones: to read them once more takes a tenth of the time of making them.
final class WebPOpaqueRows {
  /// Rows that follow one another and are not looked at yet.
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

  /// Without a thread all is done when it is asked for.
  init(width: Int, usesThread: Bool) {
    self.width = width
    guard usesThread else { return }
    // It works under the lock: who wants the rows waits until they are done, or does it.
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

  /// Takes the next rows, which nobody may touch before ``settle()``.
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

  /// Returns when all rows that were taken are opaque.
  func settle() { state.withLock { $0.finish() } }
}
