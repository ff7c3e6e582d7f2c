import EaselCore
import EaselManager
import EaselObserving

extension ImageService.Configuration {
  /// The configuration of the manager with the rules of a server.
  func forManager(
    _ gate: any WorkGate, _ metrics: ServiceMetrics
  ) -> ImageManager.Configuration {
    var result = manager
    result.observer = manager.observer.map { Observers(first: metrics, second: $0) } ?? metrics
    if let folder { result.loader = LoaderChain([folder, manager.loader]) }
    result.identityHeaders += passing.names
    result.workGate = gate
    result.damaged = damaged
    result.cachePolicy = .http
    result.failedURLLifetime = .seconds(60)
    result.requestModifier = HopCount.Modifier(next: manager.requestModifier)
    if let traces {
      let spans = ImageSpans(to: traces)
      result.observer = Observers(first: result.observer ?? metrics, second: spans)
      result.requestModifier = spans.modifier(after: result.requestModifier)
    }
    result.responseModifier = CacheLifetimeModifier(cacheLifetime: cacheLifetime, next: manager.responseModifier)
    return result
  }
}

/// Tells the metrics of every event, and then the caller's own observer.
private struct Observers: ImageObserver {
  let first: any ImageObserver
  let second: any ImageObserver

  func observe(_ event: ImageEvent) {
    first.observe(event)
    second.observe(event)
  }
}

/// Gives every response the freshness of this server and the mark of its tags, after the caller's own modifier.
private struct CacheLifetimeModifier: ResponseModifier {
  let cacheLifetime: CacheLifetime
  let next: (any ResponseModifier)?

  var cacheIdentity: CacheIdentity { next?.cacheIdentity ?? .plain }

  func modify(_ head: ResponseHead, for request: LoadRequest) async throws -> ResponseHead? {
    guard let next else { return kept(head, request) }
    return try await next.modify(head, for: request).map { kept($0, request) }
  }

  private func kept(_ head: ResponseHead, _ request: LoadRequest) -> ResponseHead {
    SourceTags.stamped(cacheLifetime.aged(head), for: request)
  }
}
