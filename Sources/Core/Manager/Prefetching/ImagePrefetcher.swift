import FoundationEssentials

/// Loads pictures before anyone asks for them, a few at a time and after everything that is wanted now.
///
/// It goes through its manager, so that what it fetched is found under the same keys; a load that is wanted meanwhile
/// joins the one that runs and makes it as urgent as itself. What it loads is kept by the manager's caches alone. When
/// the prefetcher is gone, what still waits is given up.
public final class ImagePrefetcher: Sendable {
  /// What is prefetched through.
  public let manager: ImageManager

  private let concurrency: Int
  private let state = Locked(State())

  private struct State {
    // A row of which the first are taken: what was taken is let go of at once.
    var waiting: [Job?] = []
    var taken = 0
    var running = 0
    var isPaused = false
    var batches: [ObjectIdentifier: PrefetchBatch] = [:]

    mutating func takeFirst() -> Job? {
      while taken < waiting.count {
        defer { taken += 1 }
        if let job = waiting[taken].take() { return job }
      }
      (waiting, taken) = ([], 0)
      return nil
    }

    mutating func takeAll(of batch: PrefetchBatch) -> [Job] {
      let jobs = waiting.compactMap { $0 }
      (waiting, taken) = (jobs.filter { $0.batch !== batch }, 0)
      return jobs.filter { $0.batch === batch }
    }
  }

  private struct Job: Sendable {
    let index: Int
    let batch: PrefetchBatch
    let layers: CacheLayers
  }

  /// Creates a prefetcher that loads at most `concurrency` pictures at once.
  public init(manager: ImageManager, concurrency: Int = 3) {
    self.manager = manager
    self.concurrency = max(1, concurrency)
  }

  deinit {
    while let job = state.withLock({ $0.takeFirst() }) { withdraw(job) }
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
    let batch = PrefetchBatch(requests)
    guard !requests.isEmpty else { return batch }
    batch.whenCancelled { [weak self, weak batch] in
      guard let self, let batch else { return }
      withdraw(batch)
    }
    let jobs = requests.indices.map { Job(index: $0, batch: batch, layers: layers) }
    state.withLock { state in
      state.batches[ObjectIdentifier(batch)] = batch
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
    for job in state.withLock({ $0.takeAll(of: batch) }) { withdraw(job) }
  }

  private func withdraw(_ job: Job) {
    let subject = job.batch.request(at: job.index).url?.absoluteString
    finish(job, .failure(.cancelled(subject: subject)))
  }

  private func startWhatMayRun() {
    while let job = nextJob() { run(job) }
  }

  private func nextJob() -> Job? {
    state.withLock { state in
      guard !state.isPaused, state.running < concurrency, let job = state.takeFirst() else { return nil }
      state.running += 1
      return job
    }
  }

  private func run(_ job: Job) {
    let task = manager.load(job.batch.request(at: job.index).stored(in: job.layers))
    // Added before anyone can hear of its end.
    job.batch.add(task, at: job.index)
    Task.detached { [self] in
      do throws(ImageError) {
        finish(job, .success(try await task.result))
      } catch {
        finish(job, .failure(error))
      }
      state.withLock { $0.running -= 1 }
      startWhatMayRun()
    }
  }

  private func finish(_ job: Job, _ result: Result<ImageResult, ImageError>) {
    let isLast = job.batch.finish(job.index, result)
    if isLast { state.withLock { $0.batches[ObjectIdentifier(job.batch)] = nil } }
  }
}

extension ImageRequest {
  /// The request as it is loaded: what it is resolved to ends with its load and not with the list it stands in.
  fileprivate func stored(in layers: CacheLayers) -> ImageRequest {
    var request = self
    request.context[.storeLayers] = (context[.storeLayers] ?? .all).intersection(layers)
    return request
  }
}
