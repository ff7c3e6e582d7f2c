import CEaselWebP

/// Makes rows opaque on a second thread while libwebp decodes the next rows.
///
/// A separate pass afterwards would add a tenth to the decoding time, because it would read every row again.
final class WebPOpaqueRows {
  /// Consecutive rows that are not yet processed.
  private struct Due {
    var start: UnsafeMutableRawPointer
    var bytesPerRow: Int
    var width: Int
    var count: Int
  }

  private struct Rows: WebPQueuedWork {
    var due: Due?

    mutating func finish() {
      if let due { easel_webp_make_opaque(due.start, due.bytesPerRow, due.width, due.count) }
      due = nil
    }
  }

  private let width: Int
  private let thread: WebPSecondThread<Rows>

  /// If `usesThread` is false, ``settle()`` does all the work.
  init(width: Int, usesThread: Bool) {
    self.width = width
    thread = WebPSecondThread(for: Rows(), isStarted: usesThread)
  }

  /// Queues the next rows, which the caller must not touch before ``settle()``.
  func take(_ start: UnsafeMutableRawPointer, bytesPerRow: Int, count: Int) {
    guard count > 0 else { return }
    thread.queue { rows in
      if rows.due == nil {
        rows.due = Due(start: start, bytesPerRow: bytesPerRow, width: width, count: count)
      } else {
        rows.due?.count += count
      }
    }
  }

  /// Returns once all queued rows are opaque.
  func settle() { thread.settle { _ in } }
}
