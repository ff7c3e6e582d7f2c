import FoundationEssentials

/// Loads pictures before anyone asks for them, a few at a time and after everything that is wanted now.
///
/// It goes through its manager, so that what it fetched is found under the same keys; a load that is wanted meanwhile
/// joins the one that runs and makes it as urgent as itself.
public final class ImagePrefetcher: Sendable {
  /// What is prefetched through.
  public let manager: ImageManager

  private let concurrency: Int
  private let state = Locked(State())

  private struct State {
    var waiting: ArraySlice<Job> = []
    var running = 0
    var isPaused = false
    var batches: [ObjectIdentifier: PrefetchBatch] = [:]
  }

  struct Job: Sendable {
    let request: ImageRequest
    let index: Int
    let batch: PrefetchBatch
  }

  /// Creates a prefetcher that loads at most `concurrency` pictures at once.
  public init(manager: ImageManager, concurrency: Int = 3) {
    self.manager = manager
    self.concurrency = max(1, concurrency)
  }

  /// Prefetches the pictures of URLs, with options and context of their own.
  @discardableResult
  public func prefetch(
    _ urls: [URL], options: ImageOptions = .lowPriority, context: ImageContext = [], to layers: CacheLayers = .all
  ) -> PrefetchBatch {
    prefetch(urls.map { ImageRequest(url: $0, options: options, context: context) }, to: layers)
  }

  /// Prefetches what requests ask for, as urgent as they say and no further than into `layers`.
  @discardableResult
  public func prefetch(_ requests: [ImageRequest], to layers: CacheLayers = .all) -> PrefetchBatch {
    let batch = PrefetchBatch(total: requests.count)
    batch.whenCancelled { [weak self, weak batch] in
      guard let self, let batch else { return }
      withdraw(batch)
    }
    let jobs = requests.enumerated().map { index, request in
      Job(request: request.stored(in: layers), index: index, batch: batch)
    }
    state.withLock { state in
      if !jobs.isEmpty { state.batches[ObjectIdentifier(batch)] = batch }
      state.waiting += jobs
    }
    startWhatMayRun()
    return batch
  }

  /// Starts nothing new until ``resume()``; what runs goes on.
  public func pause() { state.withLock { $0.isPaused = true } }

  /// Goes on after ``pause()``.
  public func resume() {
    state.withLock { $0.isPaused = false }
    startWhatMayRun()
  }

  /// Gives up every batch.
  public func cancelAll() {
    let batches = state.withLock { Array($0.batches.values) }
    for batch in batches { batch.cancel() }
  }

  private func withdraw(_ batch: PrefetchBatch) {
    let jobs = state.withLock { state in
      let withdrawn = state.waiting.filter { $0.batch === batch }
      state.waiting.removeAll { $0.batch === batch }
      return withdrawn
    }
    for job in jobs { finish(job, with: .failure(.cancelled(subject: job.request.url?.absoluteString))) }
  }

  private func startWhatMayRun() {
    while let job = nextJob() { run(job) }
  }

  private func nextJob() -> Job? {
    state.withLock { state in
      guard !state.isPaused, state.running < concurrency, let job = state.waiting.popFirst() else { return nil }
      state.running += 1
      return job
    }
  }

  private func run(_ job: Job) {
    let task = manager.load(job.request) { result in
      self.finish(job, with: result)
      self.state.withLock { $0.running -= 1 }
      self.startWhatMayRun()
    }
    job.batch.started(job.index, task)
  }

  private func finish(_ job: Job, with result: Result<ImageResult, ImageError>) {
    let isLast = job.batch.finished(PrefetchBatch.Item(index: job.index, request: job.request, result: result))
    if isLast { state.withLock { $0.batches[ObjectIdentifier(job.batch)] = nil } }
  }
}

extension ImageRequest {
  fileprivate func stored(in layers: CacheLayers) -> ImageRequest {
    guard layers != .all else { return self }
    var request = self
    request.context[.storeLayers] = (context[.storeLayers] ?? .all).intersection(layers)
    return request
  }
}
