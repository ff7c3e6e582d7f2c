import EaselCore
import EaselSupport

/// Bands of rows on which this thread and a second one work, if the process may use another processor.
///
/// This thread does everything that the second one has not begun, so it never waits for a thread to start.
final class ParallelBands: Sendable {
  private struct State {
    var next = 0
    var isHelped = false
    var failure: ImageError?
  }

  /// With fewer pixels, starting a thread takes longer than working on half of them.
  static let fewestPixels = 1 << 19

  private let count: Int
  private let rowsAtOnce: Int
  private let work: WorkContext
  private let body: @Sendable (Range<Int>) -> Void
  private let state = Locked(State())
  private let helperIsDone = Semaphore()

  private init(
    of count: Int, rowsAtOnce: Int, work: WorkContext, _ body: @escaping @Sendable (Range<Int>) -> Void
  ) {
    self.count = count
    self.rowsAtOnce = rowsAtOnce
    self.work = work
    self.body = body
  }

  /// Calls `body` once with each band of rows, and checks for cancellation before each band.
  ///
  /// When this returns or throws, no call of `body` is running any more. `length` is the number of pixels in a row.
  static func run(
    of count: Int, length: Int, work: WorkContext, _ body: @escaping @Sendable (Range<Int>) -> Void
  ) throws(ImageError) {
    let isShared = CPUBudget.processors > 1 && count * length >= fewestPixels
    // With two threads the bands are smaller, so that both threads end at about the same time.
    let most = CancellationPace.lines(of: length)
    let bands = ParallelBands(
      of: count, rowsAtOnce: max(1, isShared ? min(most, count / 16) : most), work: work, body)
    if isShared { PlainThread.start { bands.help() } }
    bands.takeBands()
    try bands.finish()
  }

  private func help() {
    let isNeeded = state.withLock { state in
      state.isHelped = state.next < count
      return state.isHelped
    }
    guard isNeeded else { return }
    takeBands()
    helperIsDone.signal()
  }

  private func takeBands() {
    while let rows = nextBand() {
      do throws(ImageError) {
        try work.checkCancellation()
      } catch {
        state.withLock { ($0.failure, $0.next) = ($0.failure ?? error, count) }
        return
      }
      body(rows)
    }
  }

  private func nextBand() -> Range<Int>? {
    state.withLock { state in
      guard state.next < count else { return nil }
      let rows = state.next..<min(count, state.next + rowsAtOnce)
      state.next = rows.upperBound
      return rows
    }
  }

  private func finish() throws(ImageError) {
    if state.withLock({ $0.isHelped }) { helperIsDone.wait() }
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}

/// The starts of the pixels that bands read and write.
struct BandPixels: @unchecked Sendable {
  // Unchecked, because each band writes only its own rows, and all bands end before the bitmaps may be freed or
  // changed.
  let source: UnsafeRawPointer
  let target: UnsafeMutableRawPointer
}

extension Bitmap {
  /// Calls `body` with the starts of the pixels of both bitmaps, for ``ParallelBands``.
  func withBandPixels(
    writing target: inout Bitmap, _ body: (BandPixels) throws(ImageError) -> Void
  ) throws(ImageError) {
    try withStarts(writing: &target) { (source, target) throws(ImageError) in
      try body(BandPixels(source: source, target: target))
    }
  }
}
