/// The loads under way.
///
/// What is marked as never inlined needs room for a moment only; inlined, it would take that room in the frames of
/// thousands of callers for as long as they wait.
extension ImageManager {
  /// Whether any load is under way.
  public var isRunning: Bool { runningCount > 0 }

  /// How many loads are under way.
  public var runningCount: Int { loads.count }

  /// Gives up every load under way.
  public func cancelAll() { loads.cancelAll() }

  /// Ends the manager.
  ///
  /// Loads under way are given up, except those with `continueInBackground`, which have until the deadline, and so have
  /// refreshes that nobody waits for (`stale-while-revalidate`). Stores that have begun are finished, and later loads fail
  /// with `cancelled`. It returns at the deadline at the latest, and leaves behind what hangs: a loader that ignores its
  /// cancellation, a cache or a coder that does not return.
  public func close(within deadline: Duration = .seconds(10)) async {
    loads.close()
    loads.cancelAll { !$0.options.contains(.continueInBackground) }
    // In a task of its own, for a caller who is cancelled still has the time that was given.
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

  /// One caller's load from its first to its last moment, with the other places to look when the first one fails.
  func run(_ load: Load) async throws(ImageError) -> ImageResult {
    if Task.isCancelled { load.cancel() }
    return try await run(load, after: begin(load))
  }

  /// Does as much of a load as needs no waiting.
  ///
  /// When it returns the load is among those under way and has taken its turn, or is answered.
  func begin(_ load: Load) -> Beginning {
    do throws(ImageError) {
      return try begin(begin(load, load.request), for: load)
    } catch {
      return .failed(error)
    }
  }

  /// The rest of a load.
  func run(_ load: Load, after beginning: Beginning) async throws(ImageError) -> ImageResult {
    do {
      let result = try await result(of: load, afterFirst: beginning)
      load.end(.succeeded(result.source))
      return result
    } catch {
      throw failed(load, error)
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
  func failed(_ load: Load, _ error: any Error) -> ImageError {
    let subject = load.request.url?.absoluteString
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: subject)
    load.end(.failed(failure))
    return failure
  }

  /// Asks one place after another until one has what is wanted.
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
      first.code, "None of the \(causes.count) places had the picture; the first: \(first.message)",
      subject: first.subject, causes: causes)
    failure.response = first.response
    throw failure
  }

  /// What a request means, here and now; the load begins with the first of its places that is one.
  @inline(never)
  private func begin(_ load: Load, _ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    guard let resolved = request.resolved(with: configuration, by: identity) else {
      throw ImageError(.invalidURL, "There is no URL to load from: it is empty or cannot be read.")
    }
    guard load.begin(resolved) else { throw .cancelled(subject: resolved.subject) }
    return resolved
  }

  /// Writes a load down among those under way.
  @inline(never)
  func register(_ load: Load, _ request: ResolvedRequest) throws(ImageError) -> RunningLoads.Slot {
    guard let place = loads.add(load) else {
      throw ImageError(.cancelled, "The manager is closed.", subject: request.subject)
    }
    return place
  }
}
