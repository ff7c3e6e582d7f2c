import EaselCore

/// The number of servers of this kind that a request has passed, so that a server that is its own source notices it.
enum HopCount {
  static let field = "X-Easel-Hop"
  private static let most = 2

  /// The number that a request to a source states.
  static func next(after request: ServiceRequest) throws(ServiceError) -> Int {
    let hops = request.headers[field].map { Int($0) ?? most } ?? 0
    guard (0..<most).contains(hops) else {
      throw ServiceError(508, "The source of the picture leads back to this server.")
    }
    return hops + 1
  }

  /// Writes the number into requests to sources, after the caller's own modifier.
  struct Modifier: RequestModifier {
    let next: (any RequestModifier)?

    var cacheIdentity: CacheIdentity { next?.cacheIdentity ?? .plain }

    func modify(_ request: LoadRequest) async throws -> LoadRequest? {
      guard var modified = next == nil ? request : try await next?.modify(request) else { return nil }
      modified.headers[field] = "\(request.context[.hopCount] ?? 1)"
      return modified
    }
  }

  fileprivate enum Key: ImageContext.Key {
    static let name = "hops"
    static let impact = ImageContext.Impact<Int>.neutral
  }
}

extension ContextKeys {
  /// The number of servers on the way from the source, this one included.
  static let hopCount = ContextKey(HopCount.Key.self)
}
