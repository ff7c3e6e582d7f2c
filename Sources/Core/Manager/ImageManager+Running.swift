/// The loads under way.
extension ImageManager {
  /// Whether any load is under way.
  public var isRunning: Bool { runningCount > 0 }

  /// How many loads are under way.
  public var runningCount: Int { loads.count }

  /// Gives up every load under way.
  public func cancelAll() { loads.cancelAll() }

  /// Ends the manager.
  ///
  /// Loads under way are given up, except those with `continueInBackground`, which have until the deadline. Stores that
  /// have begun are finished, and later loads fail with `cancelled`.
  public func close(within deadline: Duration = .seconds(10)) async {
    loads.close()
    loads.cancelAll { !$0.options.contains(.continueInBackground) }
    let alarm = Task.detached { [configuration, loads] in
      try? await configuration.clock.sleep(for: deadline)
      if !Task.isCancelled { loads.cancelAll() }
    }
    await loads.waitUntilEmpty()
    alarm.cancel()
    await loads.drainAside()
    await storeLanes.drain()
  }

  /// One caller's load from its first to its last moment, with the other places to look when the first one fails.
  func run(_ load: Load) async throws(ImageError) -> ImageResult {
    do {
      let result = try await firstResult(of: load)
      load.end(with: .success(result))
      return result
    } catch {
      let failure = ImageError.wrapping(
        error, as: .network, "The load failed.", subject: load.request.url?.absoluteString)
      load.end(with: .failure(failure))
      throw failure
    }
  }

  private func firstResult(of load: Load) async throws -> ImageResult {
    let request = try resolved(load.request)
    load.begin(request)
    guard !load.isCancelled else { throw ImageError.cancelled(subject: request.subject) }
    do {
      return try await registered(load, request)
    } catch let failure as ImageError where !failure.isCancellation && !load.request.fallbackURLs.isEmpty {
      return try await fromFallbacks(of: load, after: failure)
    }
  }

  private func fromFallbacks(of load: Load, after first: ImageError) async throws -> ImageResult {
    var causes: [any Error] = [first]
    for url in load.request.fallbackURLs {
      var request = load.request
      request.url = url
      do {
        return try await registered(load, resolved(request))
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

  private func resolved(_ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    guard let resolved = request.resolved(with: configuration, by: identity) else {
      throw ImageError(.invalidURL, "There is no URL to load from: it is empty or cannot be read.")
    }
    return resolved
  }

  /// What memory answers need not be found again by anyone, so it is not written down.
  private func registered(_ load: Load, _ request: ResolvedRequest) async throws -> ImageResult {
    if let picture = inMemory(request), !needsMore(than: picture, request) {
      load.report(.cacheHit(.memory))
      return finished(picture, request)
    }
    guard loads.add(load) else {
      throw ImageError(.cancelled, "The manager is closed.", subject: request.subject)
    }
    defer { loads.remove(load) }
    return try await result(of: load, request)
  }
}
