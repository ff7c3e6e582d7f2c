/// Pictures that are prefetched together.
public final class PrefetchBatch: Sendable {
  /// One picture of the batch and what became of it: what identifies and describes it, but not its pixels.
  public struct Item: Sendable {
    /// Its place in the list.
    public let index: Int
    /// What was asked for.
    public let request: ImageRequest
    /// The key of the picture in the caches, nil where there is none.
    public let key: CacheKey?
    /// The source of the picture, nil where there is none.
    public let source: ImageSource?
    /// The size of the picture, nil where there is none.
    public let size: PixelSize?
    /// The format of the file it came from, nil where there is none.
    public let format: ImageFormat?
    /// Why there is no picture, nil where there is one.
    public let error: ImageError?
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

  /// The little that is kept of an item, since many batches are dropped without anyone having read one.
  private struct Record: Sendable {
    let index: Int
    var key: CacheKey?
    var source: ImageSource?
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

  private struct WeakBell: Sendable {
    weak var bell: Bell?
  }

  private struct State {
    var records: [Record] = []
    var skipped = 0
    var running: [Int: ImageTask] = [:]
    var isCancelled = false
    var whenCancelled: (@Sendable () -> Void)?
    var whenDone: [UnsafeContinuation<Outcome, Never>] = []
    var bells: [WeakBell] = []

    var outcome: Outcome { Outcome(finished: records.count - skipped, skipped: skipped) }
  }

  private let requests: [ImageRequest]
  private let state = Locked(State())

  init(_ requests: [ImageRequest]) { self.requests = requests }

  private var total: Int { requests.count }

  /// The items in the order they are done with, from the first one on; the sequence ends with the batch.
  ///
  /// Each time it is asked for it is another sequence for one reader.
  public var items: AsyncStream<Item> {
    sequence { told, state in
      defer { told += 1 }
      return self.item(of: state.records[told])
    }
  }

  /// How far the batch is: the newest state, each time there is a newer one; the sequence ends with the batch.
  ///
  /// Each time it is asked for it is another sequence for one reader.
  public var progress: AsyncStream<Progress> {
    sequence { told, state in
      told = state.records.count
      return Progress(finished: told, total: self.total)
    }
  }

  /// What became of the batch, as soon as every item is done with; at once for an empty one.
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

  /// The request at a place of the list.
  func request(at index: Int) -> ImageRequest { requests[index] }

  /// Adds the load of an item, so that cancelling the batch cancels it.
  func add(_ task: ImageTask, at index: Int) {
    let isCancelled = state.withLock { state in
      state.running[index] = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Ends an item that was loaded, or withdrawn before; returns true when it was the last.
  func finish(_ index: Int, _ result: Result<ImageResult, ImageError>) -> Bool {
    let record = Record(index, result)
    let (outcome, waiting, bells) = state.withLock {
      state -> (Outcome?, [UnsafeContinuation<Outcome, Never>], [Bell]) in
      state.running[index] = nil
      if record.error != nil { state.skipped += 1 }
      state.records.append(record)
      state.bells.removeAll { $0.bell == nil }
      let bells = state.bells.compactMap(\.bell)
      guard state.records.count == total else { return (nil, [], bells) }
      defer {
        state.whenDone = []
        state.whenCancelled = nil
        state.bells = []
      }
      return (state.outcome, state.whenDone, bells)
    }
    for bell in bells { bell.ring() }
    guard let outcome else { return false }
    for continuation in waiting { continuation.resume(returning: outcome) }
    return true
  }

  private func item(of record: Record) -> Item {
    Item(
      index: record.index, request: requests[record.index], key: record.key, source: record.source, size: record.size,
      format: record.format, error: record.error)
  }

  /// A sequence of what `next` makes of the records that its reader, who counts them, was not told of.
  private func sequence<Element: Sendable>(
    _ next: @escaping @Sendable (_ told: inout Int, State) -> Element
  ) -> AsyncStream<Element> {
    let bell = Bell()
    state.withLock { $0.bells.append(WeakBell(bell: bell)) }
    let told = Locked(0)
    return PulledStream.make(bell) {
      told.withLock { told in
        self.state.withLock { state in
          if told < state.records.count { return .element(next(&told, state)) }
          return told == self.total ? .end : .nothingYet
        }
      }
    }
  }
}
