import EaselCore
import EaselSupport
import FoundationEssentials

/// Loads pictures in advance, a few at a time and with low priority.
///
/// The prefetcher loads through its manager, so later loads find the pictures under the same keys. A load of the same
/// picture joins the running prefetch and raises its priority. Only the caches of the manager keep the pictures. When
/// the prefetcher is released, its waiting items are cancelled.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(manager: manager)
/// let batch = prefetcher.prefetch([url], context: [.transformer(.resize(width: 320))])
/// let outcome = await batch.outcome
/// print("\(outcome.finished) are cached")
/// ```
public final class ImagePrefetcher: Sendable {
  /// The manager that loads the pictures.
  public let manager: ImageManager

  private let concurrency: Int
  private let state = Locked(State())

  private struct State {
    // A queue whose first elements have been taken. A taken job is released immediately.
    var waiting: [Job?] = []
    var taken = 0
    var running = 0
    var isPaused = false
    var batches: [ObjectIdentifier: ImagePrefetcher.Batch] = [:]

    mutating func takeFirst() -> Job? {
      while taken < waiting.count {
        defer { taken += 1 }
        if let job = waiting[taken].take() { return job }
      }
      (waiting, taken) = ([], 0)
      return nil
    }

    mutating func takeAll(of batch: ImagePrefetcher.Batch) -> [Job] {
      let jobs = waiting.compactMap { $0 }
      (waiting, taken) = (jobs.filter { $0.batch !== batch }, 0)
      return jobs.filter { $0.batch === batch }
    }
  }

  private struct Job: Sendable {
    let index: Int
    let batch: ImagePrefetcher.Batch
    let layers: CacheLayers
  }

  /// Creates a prefetcher that loads at most `concurrency` pictures at a time.
  public init(manager: ImageManager, concurrency: Int = 3) {
    self.manager = manager
    self.concurrency = max(1, concurrency)
  }

  deinit {
    while let job = state.withLock({ $0.takeFirst() }) { withdraw(job) }
  }

  /// Prefetches the pictures of URLs, all with the same options and context.
  ///
  /// ```swift
  /// let batch = ImagePrefetcher(manager: manager).prefetch([url], to: .disk)
  /// let outcome = await batch.outcome
  /// ```
  @discardableResult
  public func prefetch(
    _ urls: [URL], options: ImageOptions = .lowPriority, context: ImageContext = [], to layers: CacheLayers = .all
  ) -> ImagePrefetcher.Batch {
    prefetch(urls.map { ImageRequest(url: $0, options: options, context: context) }, to: layers)
  }

  /// Prefetches the pictures of requests, with the priority that each request states, and stores them only in `layers`.
  @discardableResult
  public func prefetch(_ requests: [ImageRequest], to layers: CacheLayers = .all) -> ImagePrefetcher.Batch {
    let batch = ImagePrefetcher.Batch(requests)
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
    startWaitingLoads()
    return batch
  }

  /// Starts no further loads until ``resume()``; running loads continue.
  public func pause() { state.withLock { $0.isPaused = true } }

  /// Starts waiting loads again after ``pause()``.
  public func resume() {
    state.withLock { $0.isPaused = false }
    startWaitingLoads()
  }

  /// Cancels every batch.
  public func cancelAll() {
    let batches = state.withLock { Array($0.batches.values) }
    for batch in batches { batch.cancel() }
  }

  private func withdraw(_ batch: ImagePrefetcher.Batch) {
    for job in state.withLock({ $0.takeAll(of: batch) }) { withdraw(job) }
  }

  private func withdraw(_ job: Job) {
    let subject = job.batch.request(at: job.index).url?.absoluteString
    finish(job, .failure(.cancelled(subject: subject)))
  }

  private func startWaitingLoads() {
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
    // The load is added before the following task can report its end.
    job.batch.add(task, at: job.index)
    Task.detached { [self] in
      do throws(ImageError) {
        finish(job, .success(try await task.result))
      } catch {
        finish(job, .failure(error))
      }
      state.withLock { $0.running -= 1 }
      startWaitingLoads()
    }
  }

  private func finish(_ job: Job, _ result: Result<ImageResult, ImageError>) {
    let isLast = job.batch.finish(job.index, result)
    if isLast { state.withLock { $0.batches[ObjectIdentifier(job.batch)] = nil } }
  }
}

extension ImageRequest {
  /// The request for one load, with its stores limited to `layers`.
  ///
  /// It is a copy, so that its resolved form is released with the load and not with the batch.
  fileprivate func stored(in layers: CacheLayers) -> ImageRequest {
    var request = self
    request.context[.storeLayers] = (context[.storeLayers] ?? .all).intersection(layers)
    return request
  }
}
