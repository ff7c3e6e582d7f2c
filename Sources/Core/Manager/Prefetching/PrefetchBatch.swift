/// Pictures that are prefetched together.
public final class PrefetchBatch: Sendable {
  /// One picture of the batch and what became of it.
  public struct Item: Sendable {
    /// Its place in the list.
    public let index: Int
    /// What was asked for.
    public let request: ImageRequest
    /// The picture, or why there is none.
    public let result: Result<ImageResult, ImageError>
  }

  /// What became of a batch.
  public struct Outcome: Hashable, Sendable {
    /// How many pictures are there now.
    public var finished: Int
    /// How many are not, since they failed or were given up.
    public var skipped: Int
  }

  /// How far a batch is.
  public struct Progress: Hashable, Sendable {
    /// How many are done with, well or not.
    public var finished: Int
    /// How many there are.
    public var total: Int
  }

  private struct State {
    var outcome = Outcome(finished: 0, skipped: 0)
    var running: [Int: ImageTask] = [:]
    var isCancelled = false
    var whenCancelled: (@Sendable () -> Void)?
    var whenDone: [UnsafeContinuation<Outcome, Never>] = []
  }

  /// The items as they are done with; the sequence is for one reader and ends with the batch.
  public let items: AsyncStream<Item>
  /// How far the batch is, after each item; the sequence is for one reader and ends with the batch.
  public let progress: AsyncStream<Progress>

  private let total: Int
  private let itemSink: AsyncStream<Item>.Continuation
  private let progressSink: AsyncStream<Progress>.Continuation
  private let state = Locked(State())

  init(total: Int) {
    self.total = total
    (items, itemSink) = AsyncStream.makeStream(of: Item.self)
    (progress, progressSink) = AsyncStream.makeStream(of: Progress.self)
    if total == 0 { closeStreams() }
  }

  /// What became of the batch, as soon as every item is done with; at once for an empty one.
  public var outcome: Outcome {
    get async {
      await withUnsafeContinuation { continuation in
        let done = state.withLock { state -> Outcome? in
          if state.outcome.count == total { return state.outcome }
          state.whenDone.append(continuation)
          return nil
        }
        if let done { continuation.resume(returning: done) }
      }
    }
  }

  /// Gives up what runs and what waits; both count as skipped.
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

  func started(_ index: Int, _ task: ImageTask) {
    let isCancelled = state.withLock { state in
      state.running[index] = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Notes what became of an item; returns whether it was the last.
  func finished(_ item: Item) -> Bool {
    let (progress, outcome, waiting) = state.withLock { state in
      state.running[item.index] = nil
      if case .success = item.result { state.outcome.finished += 1 } else { state.outcome.skipped += 1 }
      let isLast = state.outcome.count == total
      defer { if isLast { state.whenDone = [] } }
      let progress = Progress(finished: state.outcome.count, total: total)
      return (progress, state.outcome, isLast ? state.whenDone : [])
    }
    itemSink.yield(item)
    progressSink.yield(progress)
    guard progress.finished == total else { return false }
    closeStreams()
    for continuation in waiting { continuation.resume(returning: outcome) }
    return true
  }

  private func closeStreams() {
    itemSink.finish()
    progressSink.finish()
  }
}

extension PrefetchBatch.Outcome {
  fileprivate var count: Int { finished + skipped }
}
