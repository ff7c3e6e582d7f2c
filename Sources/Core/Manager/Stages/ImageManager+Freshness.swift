import FoundationEssentials

/// Whether a cached picture may be used, and what happens when the server was asked.
extension ImageManager {
  /// Whether a picture is used without asking the server.
  ///
  /// One that may be used while the server is asked is used, and the server is asked aside.
  func mayUse(_ cached: Picture, _ request: ResolvedRequest) -> Bool {
    if mayUseUnasked(cached.record, request) { return true }
    guard !request.options.contains(.refreshCached), !request.options.contains(.fromCacheOnly),
      let response = cached.record.response,
      request.rules(for: response).mayServeWhileRevalidating(at: configuration.clock.date)
    else { return false }
    refreshAside(cached, request)
    return true
  }

  /// Whether what a cache has is used, and nobody asked.
  func mayUseUnasked(_ record: CacheRecord, _ request: ResolvedRequest) -> Bool {
    if request.options.contains(.refreshCached) { return request.options.contains(.fromCacheOnly) }
    return isFresh(record, request)
  }

  /// Whether what could not be refreshed is used all the same.
  func mayUse(_ record: CacheRecord, _ request: ResolvedRequest, despite failure: ImageError) -> Bool {
    guard failure.isTheServersTrouble || failure.code == .blockedURL else { return false }
    if request.options.contains(.refreshCached) { return true }
    guard let response = record.response else { return false }
    return request.rules(for: response).mayServeOnError(at: configuration.clock.date)
  }

  func isFresh(_ record: CacheRecord, _ request: ResolvedRequest) -> Bool {
    guard request.cachePolicy == .http, let response = record.response else { return true }
    let rules = request.rules(for: response)
    return rules.matches(request.varyingFields) && rules.isFresh(at: configuration.clock.date)
  }

  /// Whether a stored response answers this request at all.
  func matches(_ record: CacheRecord, _ request: ResolvedRequest) -> Bool {
    guard request.cachePolicy == .http, let response = record.response else { return true }
    return request.rules(for: response).matches(request.varyingFields)
  }

  /// What becomes of an answer in the caches.
  func keeping(of record: CacheRecord, _ request: ResolvedRequest) -> Keeping {
    // A part is not to stand for the whole, which is none the worse for it.
    if record.response?.status == 206 { return .passedBy }
    guard request.cachePolicy == .http, let response = record.response else { return .stored }
    let rules = request.rules(for: response)
    guard rules.mayStore else { return .forgotten }
    return rules.isUnwantedInCaches ? .passedBy : .stored
  }

  /// The cached picture after the server confirmed it, with the new record for it and all that was made of its
  /// original.
  func renewed(
    _ cached: Picture, by confirmation: Transferred.Confirmation, _ request: ResolvedRequest, _ turn: StoreTurn,
    in run: SharedRun
  ) async -> Picture {
    var picture = cached
    picture.source = .revalidated
    picture.head = confirmation.head
    let stores = await renew(&picture.record, by: confirmation, request, turn, in: run)
    picture.stores += stores
    return picture
  }

  /// Gives a record, and all that was made of its original, what the server's confirmation says.
  func renew(
    _ record: inout CacheRecord, by confirmation: Transferred.Confirmation, _ request: ResolvedRequest,
    _ turn: StoreTurn, in run: SharedRun
  ) async -> [Task<Void, Never>] {
    guard let response = record.response else { return [] }
    record.response = HTTPCacheRules(response).renewed(
      by: confirmation.head, answering: request.neutralHeaders, requested: confirmation.requested,
      received: confirmation.received)
    return switch keeping(of: record, request) {
    case .stored: await renewed(record.response, record.generation, confirmation.turn, of: turn, request, in: run)
    case .passedBy: []
    case .forgotten: await forgotten(confirmation.turn, of: turn, request, in: run)
    }
  }

  private func refreshAside(_ cached: Picture, _ request: ResolvedRequest) {
    let key = PictureKey(request, asksAside: true)
    let turn = storeLanes.begin(request.originalKey)
    loads.addAside {
      let seat = Seat<Picture>(priority: nil, stated: .low, wish: request.wish)
      _ = try? await self.pictureRuns.value(for: key, seat: seat) { run in
        try await self.fromLoader(request, cached, turn, in: run)
      }
    }
  }
}

extension ImageError {
  /// Whether asking later may help: the network failed, or the server said that it did.
  var isTheServersTrouble: Bool {
    switch code {
    case .network, .timedOut, .truncatedBody: true
    case .badStatus: (500...599).contains(status ?? 0)
    default: false
    }
  }
}

/// What becomes of an answer in the caches.
enum Keeping: Sendable {
  /// It takes the place of what is there.
  case stored
  /// It is not kept, and what is there stays.
  case passedBy
  /// It is not kept, and what is there is no longer right.
  case forgotten
}
