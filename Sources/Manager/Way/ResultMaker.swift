import EaselCore
import EaselHTTP
import EaselTiers

/// Makes the result of a run from an original, and stores both.
struct ResultMaker: Sendable {
  let run: Run
  let goal: Goal
  /// The time at which the load began.
  ///
  /// If the original is removed later, the load stores nothing.
  let turn: StoreTicket
  /// The claim that makes other processes wait for this run; nil if there is none.
  let flight: FlightSlot?

  init(_ run: Run, _ goal: Goal, _ turn: StoreTicket) {
    (self.run, self.goal, self.turn) = (run, goal, turn)
    // A load that a plug-in started claims nothing: processes that wait for the plug-in's claim must not wait for this
    // one.
    let mayClaim = goal == .encoded && Fleet(run: run).mayClaimVariant && run.shared.isOutermost
    flight = mayClaim ? FlightSlot() : nil
  }

  /// Makes the result from a transfer that may still be running, and stores it.
  func make(from transfer: JoinedRun<TransferResult>) async throws -> Product {
    return try await store(content(from: .transfer(transfer)), from: transfer.value)
  }

  /// Makes the result from an original in a cache, and stores it.
  func make(from original: CachedOriginal) async throws -> Product? {
    var content = try await content(from: original.source)
    if case .picture(let image, _) = content {
      guard run.request.accepts(image) else { return nil }
      if run.request.keepsReceivedPixels(image) { content = .picture(image, bytes: original.bytes) }
    }
    let parts = ProductParts(content, from: ImageEvent.Source(original.layer), original.record, for: run.request)
    return try await store(Product(parts), broughtAt: turn, isNew: false, body: nil)
  }

  private func content(from source: PixelSource) async throws -> ProductParts.Content {
    switch goal {
    case .picture: return .picture(try await Pixels.image(from: source, for: run), bytes: nil)
    case .encoded: return .encoded(try await Encoding.bytes(from: source, for: run))
    case .original: return .original(try await bytes(of: source))
    }
  }

  /// The bytes of an original that is not decoded.
  private func bytes(of source: PixelSource) async throws -> ImageBytes {
    if case .cached(let bytes, _) = source { return bytes }
    if case .transfer(let transfer) = source {
      switch try await transfer.value {
      case .body(let body):
        // The body must give its room back now, because its store may wait for a load that waits for room.
        body.releaseRoom()
        return body.bytes
      case .notModified(let confirmation):
        throw ImageError.unexpectedNotModified(confirmation.head, subject: run.request.subject)
      case .image: break
      }
    }
    var failure = ImageError(
      .badImageData, "The loader delivered a decoded picture, which has no bytes.", subject: run.request.subject)
    // The failure must not block the URL, because pictures can be loaded from it.
    failure.isTemporary = true
    throw failure
  }

  /// Stores a loaded result under its own key, and the original of a variant under the key of the original.
  @inline(never)
  private func store(_ content: ProductParts.Content, from transferred: TransferResult) async throws -> Product {
    let source = ImageEvent.Source(transferred, for: run.request)
    switch transferred {
    case .notModified(let confirmation):
      throw ImageError.unexpectedNotModified(confirmation.head, subject: run.request.subject)
    case .image(_, let generation, let turn):
      let record = CacheRecord(stored: run.clock.date, generation: generation)
      let parts = ProductParts(content, from: source, record, for: run.request)
      return try await store(Product(parts), broughtAt: turn, isNew: true, body: nil)
    case .body(let body):
      var parts = ProductParts(content, from: source, body.record, for: run.request)
      // Another load may have begun the transfer, so the data of this load is set here.
      parts.record.extendedData = run.request.context[.extendedData]
      (parts.head, parts.metrics) = (body.head, body.metrics)
      if case .picture(let image, _) = content, run.request.keepsReceivedPixels(image) {
        parts.content = .picture(image, bytes: body.bytes)
      }
      return try await store(Product(parts), broughtAt: body.turn, isNew: true, body: body)
    }
  }

  /// Stores a result; a new one, from the loader, is stored together with the body that it was made from.
  ///
  /// Other machines get the parts of it that may be shared.
  private func store(
    _ result: Product, broughtAt turn: StoreTicket, isNew: Bool, body: LoadedBody?
  ) async throws -> Product {
    var result = result
    switch run.request.cacheUse.decision(for: result.record) {
    case .keep: break
    case .ignore: return result
    case .forget:
      if isNew { result.stores += await Renewal(run: run, load: self.turn).forgetEverything(broughtAt: turn) }
      return result
    }
    guard result.parts.isWhole, run.request.isCacheable else { return result }
    let store = Store(
      run: run, product: result.parts, turn: turn, load: self.turn, isNew: isNew, body: body)
    result.stores += try await store.everywhere(sharingBy: flight)
    return result
  }
}
