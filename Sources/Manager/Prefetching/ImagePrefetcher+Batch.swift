import EaselCore
import EaselSupport

extension ImagePrefetcher {
  /// A group of pictures that are prefetched together.
  ///
  /// ```swift
  /// let batch = ImagePrefetcher(manager: manager).prefetch([url])
  /// for await step in batch.progress { print("\(step.finished) of \(step.total)") }
  /// ```
  public final class Batch: Sendable {
    /// The outcome of one picture of the batch: its properties, without its pixels.
    public struct Item: Sendable {
      /// The index of the picture in the batch.
      public let index: Int
      /// The request for the picture.
      public let request: ImageRequest
      /// The key of the picture in the caches; nil when the load failed.
      public let key: CacheKey?
      /// The source of the picture; nil when the load failed.
      public let source: ImageEvent.Source?
      /// The size of the picture; nil when the load failed.
      public let size: PixelSize?
      /// The format of the file that the picture came from; nil when it is unknown or the load failed.
      public let format: ImageFormat?
      /// The error of the load; nil when it succeeded.
      public let error: ImageError?
    }

    /// The final counts of a batch.
    public struct Outcome: Hashable, Sendable {
      /// The number of pictures that were loaded.
      public var finished: Int
      /// The number of pictures that failed or were cancelled.
      public var skipped: Int
    }

    /// The progress of a batch.
    public struct Progress: Hashable, Sendable {
      /// The number of items that have ended, successfully or not.
      public var finished: Int
      /// The number of items in the batch.
      public var total: Int
    }

    /// The details of an item that are kept.
    ///
    /// The record is small, because many batches are released before anyone reads their items.
    private struct Record: Sendable {
      let index: Int
      var key: CacheKey?
      var source: ImageEvent.Source?
      var size: PixelSize?
      var format: ImageFormat?
      var error: ImageError?

      init(_ index: Int, _ result: Result<ImageResult, ImageError>) {
        self.index = index
        switch result {
        case .success(let result):
          key = result.key
          source = result.source
          size = result.image.size
          format = result.image.format
        case .failure(let error): self.error = error
        }
      }
    }

    private struct WeakSignal: Sendable {
      weak var signal: WakeSignal?
    }

    private struct State {
      var records: [Record] = []
      var skipped = 0
      var running: [Int: ImageTask] = [:]
      var isCancelled = false
      var whenCancelled: (@Sendable () -> Void)?
      var whenDone: [UnsafeContinuation<Outcome, Never>] = []
      var signals: [WeakSignal] = []

      var outcome: Outcome { Outcome(finished: records.count - skipped, skipped: skipped) }
    }

    private let requests: [ImageRequest]
    private let state = Locked(State())

    init(_ requests: [ImageRequest]) { self.requests = requests }

    private var total: Int { requests.count }

    /// The items in the order in which they ended, beginning with the first; the sequence ends with the batch.
    ///
    /// Each access makes a new sequence for one reader.
    public var items: AsyncStream<Item> {
      sequence { told, state in
        defer { told += 1 }
        return self.item(of: state.records[told])
      }
    }

    /// The progress of the batch.
    ///
    /// A reader always gets the newest state; the sequence ends with the batch.
    ///
    /// Each access makes a new sequence for one reader.
    public var progress: AsyncStream<Progress> {
      sequence { told, state in
        told = state.records.count
        return Progress(finished: told, total: self.total)
      }
    }

    /// Waits until every item has ended, and returns the final counts.
    ///
    /// An empty batch returns immediately.
    public var outcome: Outcome {
      get async {
        await withUnsafeContinuation { continuation in
          let done = state.withLock { state -> Outcome? in
            if state.records.count == total { return state.outcome }
            state.whenDone.append(continuation)
            return nil
          }
          if let done { continuation.resume(returning: done) }
        }
      }
    }

    /// Cancels all running and waiting items; both kinds count as skipped.
    public func cancel() {
      let (whenCancelled, running) = state.withLock { state in
        state.isCancelled = true
        defer { state.whenCancelled = nil }
        return (state.whenCancelled, Array(state.running.values))
      }
      whenCancelled?()
      for task in running { task.cancel() }
    }

    func whenCancelled(_ body: @escaping @Sendable () -> Void) {
      state.withLock { $0.whenCancelled = body }
    }

    /// The request at an index of the batch.
    func request(at index: Int) -> ImageRequest { requests[index] }

    /// Adds the load of an item, so that cancelling the batch cancels it.
    func add(_ task: ImageTask, at index: Int) {
      let isCancelled = state.withLock { state in
        state.running[index] = task
        return state.isCancelled
      }
      if isCancelled { task.cancel() }
    }

    /// Ends an item after its load, or without a load if it was cancelled; returns true for the last item.
    func finish(_ index: Int, _ result: Result<ImageResult, ImageError>) -> Bool {
      let record = Record(index, result)
      let (outcome, waiting, signals) = state.withLock {
        state -> (Outcome?, [UnsafeContinuation<Outcome, Never>], [WakeSignal]) in
        state.running[index] = nil
        if record.error != nil { state.skipped += 1 }
        state.records.append(record)
        state.signals.removeAll { $0.signal == nil }
        let signals = state.signals.compactMap(\.signal)
        guard state.records.count == total else { return (nil, [], signals) }
        defer {
          state.whenDone = []
          state.whenCancelled = nil
          state.signals = []
        }
        return (state.outcome, state.whenDone, signals)
      }
      for signal in signals { signal.wake() }
      guard let outcome else { return false }
      for continuation in waiting { continuation.resume(returning: outcome) }
      return true
    }

    private func item(of record: Record) -> Item {
      Item(
        index: record.index, request: requests[record.index], key: record.key, source: record.source, size: record.size,
        format: record.format, error: record.error)
    }

    /// Makes a sequence for one reader.
    ///
    /// `next` turns records that the reader has not seen into elements, and counts them.
    private func sequence<Element: Sendable>(
      _ next: @escaping @Sendable (_ told: inout Int, State) -> Element
    ) -> AsyncStream<Element> {
      let signal = WakeSignal()
      state.withLock { $0.signals.append(WeakSignal(signal: signal)) }
      let told = Locked(0)
      return UnbufferedStream.make(signal) {
        told.withLock { told in
          self.state.withLock { state in
            if told < state.records.count { return .element(next(&told, state)) }
            return told == self.total ? .end : .nothingYet
          }
        }
      }
    }
  }
}
