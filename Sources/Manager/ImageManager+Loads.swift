import EaselCore
import EaselWorkers

/// Running loads.
///
/// Some functions are marked as never inlined because they need stack space only for a moment. Inlined, they would add
/// that space to the frames of thousands of callers for as long as those callers wait.
extension ImageManager {
  /// True when at least one load is running.
  public var isRunning: Bool { runningCount > 0 }

  /// The number of running loads.
  public var runningCount: Int { loads.count }

  /// The number of worker threads that plug-ins still hold after their time was over.
  ///
  /// Each such thread was replaced, so other loads continue. If the number stays above zero, a coder, a transformer or
  /// a serializer hangs; the observer of the load was told which one. The managers of a process share their threads,
  /// and so this number.
  public var lostThreadCount: Int {
    let (workers, readers) = (configuration.workers, configuration.readers)
    return workers.lostCount + (readers === workers ? 0 : readers.lostCount)
  }

  /// Cancels every running load.
  public func cancelAll() { loads.cancelAll() }

  /// Closes the manager.
  ///
  /// Running loads are cancelled. Only loads with `continueInBackground` and background refreshes
  /// (`stale-while-revalidate`) may continue until the deadline. Stores that have begun are finished, and later loads
  /// fail with `cancelled`. The method returns at the deadline at the latest. Plug-ins that hang are abandoned: a
  /// loader that ignores its cancellation, or a cache or a coder that does not return.
  ///
  /// ```swift
  /// await manager.close(within: .seconds(5))
  /// ```
  public func close(within deadline: Duration = .seconds(10)) async {
    loads.close()
    loads.cancelAll { !$0.options.contains(.continueInBackground) }
    // A detached task, because a cancelled caller still gets the full time until the deadline.
    await Task.detached { [loads, storeLanes, clock = configuration.clock] in
      try? await Patience.wait(atMost: deadline, by: clock, failure: { .cancelled() }) {
        await loads.waitUntilEmpty()
        await loads.waitForBackgroundWork()
        await storeLanes.drain()
      }
      loads.cancelAll()
      loads.cancelBackgroundWork()
    }.value
  }

  /// Runs one caller's load from start to end, including the fallback URLs when the first URL fails.
  func run(_ load: Load) async throws(ImageError) -> ImageResult {
    if Task.isCancelled { load.cancel() }
    return try await run(load, after: begin(load))
  }

  /// Does the part of a load that needs no waiting.
  ///
  /// When this returns, the load either has its answer or is registered as running and has taken its turn.
  func begin(_ load: Load) -> Beginning {
    do throws(ImageError) {
      return try begin(begin(load, load.request), for: load)
    } catch {
      return .failed(error)
    }
  }

  /// Does the rest of a load after ``begin(_:)``.
  func run(_ load: Load, after beginning: Beginning) async throws(ImageError) -> ImageResult {
    do {
      let result = try await result(of: load, afterFirst: beginning)
      await load.end(.succeeded(result.source))?.deliverAll()
      return result
    } catch {
      throw await failed(load, error)
    }
  }

  private func result(of load: Load, afterFirst beginning: Beginning) async throws -> ImageResult {
    do {
      return try await result(of: load, after: beginning)
    } catch let failure as ImageError where !failure.isCancellation && !load.request.fallbackURLs.isEmpty {
      return try await fromFallbacks(of: load, after: failure) { request in
        try await self.result(of: load, after: self.begin(request, for: load))
      }
    }
  }

  @inline(never)
  func failed(_ load: Load, _ error: any Error) async -> ImageError {
    let subject = load.request.url?.absoluteString
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: subject)
    let reporter = load.end(.failed(failure))
    // A caller that cancels is answered at once, even if an observer takes its time.
    if failure.isCancellation { reporter?.deliver() } else { await reporter?.deliverAll() }
    return failure
  }

  /// Tries the URL of the request and then its fallback URLs, until `body` succeeds.
  func fromFirstSource<Value>(
    of load: Load, _ body: (ResolvedRequest) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(begin(load, load.request))
    } catch let failure as ImageError where !failure.isCancellation && !load.request.fallbackURLs.isEmpty {
      return try await fromFallbacks(of: load, after: failure, body)
    }
  }

  private func fromFallbacks<Value>(
    of load: Load, after first: ImageError, _ body: (ResolvedRequest) async throws -> Value
  ) async throws -> Value {
    var causes: [any Error] = [first]
    for url in load.request.fallbackURLs {
      var request = load.request
      request.url = url
      do {
        return try await body(begin(load, request))
      } catch let failure as ImageError where !failure.isCancellation {
        causes.append(failure)
      }
    }
    var failure = ImageError(
      first.code, "All \(causes.count) URLs of the request failed. The first: \(first.message)",
      subject: first.subject, causes: causes)
    failure.response = first.response
    throw failure
  }

  /// Resolves a request with the settings of the manager.
  ///
  /// The first URL that can be resolved begins the load.
  @inline(never)
  private func begin(_ load: Load, _ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    let known =
      load.recipe.map { request.resolved(as: $0, with: configuration, by: identity) }
      ?? request.resolved(with: configuration, by: identity)
    guard let resolved = known else { throw request.whyUnresolved }
    guard load.begin(resolved, clock: configuration.clock) else { throw .cancelled(subject: resolved.subject) }
    return resolved
  }

  /// Adds a load to the running loads.
  @inline(never)
  func register(_ load: Load, _ request: ResolvedRequest) throws(ImageError) -> RunningLoads.Slot {
    guard let place = loads.add(load) else {
      throw ImageError(.cancelled, "The manager is closed.", subject: request.subject)
    }
    return place
  }
}
