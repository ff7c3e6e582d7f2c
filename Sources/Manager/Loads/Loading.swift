import EaselCore
import EaselTiers

/// One caller's load: asks memory, takes a place in the run that makes the result, and delivers the result.
///
/// If a URL fails, the load tries the next URL.
struct Loading: Sendable {
  let manager: ImageManager
  let load: Load

  // MARK: Pictures

  /// Loads a picture.
  func picture() async throws(ImageError) -> ImageResult {
    if Task.isCancelled { load.cancel() }
    return try await picture(after: begin())
  }

  /// Does the part of the load that needs no waiting.
  ///
  /// When this returns, the load has its answer, or it is registered as running and has taken its turn.
  func begin() -> LoadStart {
    do throws(ImageError) {
      return try begin(resolve(load.request))
    } catch {
      return .failed(error)
    }
  }

  /// Does the rest of a load after ``begin()``.
  func picture(after beginning: LoadStart) async throws(ImageError) -> ImageResult {
    do {
      let result = try await firstPicture(after: beginning)
      await load.end(.succeeded(result.source))?.deliverAll()
      return result
    } catch {
      throw await failed(error)
    }
  }

  private func firstPicture(after beginning: LoadStart) async throws -> ImageResult {
    do {
      return try await result(after: beginning)
    } catch let failure as ImageError where !failure.isCancellation && !load.request.fallbackURLs.isEmpty {
      return try await fromFallbacks(after: failure) { try await result(after: begin($0)) }
    }
  }

  private func begin(_ request: ResolvedRequest) throws(ImageError) -> LoadStart {
    let found = MemoryLookup.picture(request, by: manager)
    if let found {
      if request.observer != nil { load.report(.cacheHit(.memory)) }
      if !request.asksForMore(than: found.image, found.entry.bytes) { return .answered(found, request) }
    }
    // A load that already has its answer is not registered, because nobody needs to find it later.
    let slot = try register(request)
    if let found { return .found(found.product, request, slot) }
    return .joined(place(for: request, .picture), request, slot)
  }

  /// Waits for the picture of a load that has begun, and delivers it.
  private func result(after beginning: LoadStart) async throws -> ImageResult {
    let (request, slot): (ResolvedRequest, RunningLoads.Slot)
    switch beginning {
    case .answered(let found, let known): return ImageResult(found, for: known, by: manager.configuration.clock)
    case .failed(let error): throw error
    case .found(_, let known, let taken), .joined(_, let known, let taken): (request, slot) = (known, taken)
    }
    defer { manager.loads.remove(slot) }
    let product = try await beginning.product()
    return try await Delivery(manager: manager, request: request, product: product).result(for: load)
  }

  // MARK: Bytes

  /// Loads a picture as bytes in the form of the load's recipe.
  func encoded() async throws(ImageError) -> EncodedImage {
    if Task.isCancelled { load.cancel() }
    do {
      let result = try await fromFirstSource { try await encoded($0) }
      await load.end(.succeeded(result.source))?.deliverAll()
      return result
    } catch {
      throw await failed(error)
    }
  }

  private func encoded(_ request: ResolvedRequest) async throws -> EncodedImage {
    if let error = request.formError { throw error }
    if let found = MemoryLookup.encoded(request, by: manager) {
      load.report(.cacheHit(.memory))
      return found
    }
    let slot = try register(request)
    defer { manager.loads.remove(slot) }
    let product = try await place(for: request, .encoded).value(as: Product.self)
    if request.options.contains(.waitStore) { for store in product.stores { await store.value } }
    return EncodedImage(product, for: request, by: manager.configuration.clock)
  }

  /// Loads the bytes of the original.
  func original() async throws(ImageError) -> Product {
    do {
      let original = try await fromFirstSource { request in
        let slot = try register(request)
        defer { manager.loads.remove(slot) }
        return try await load.runAlone(for: request) { shared in
          let turn = manager.storeQueues.begin(request.originalKey)
          return try await Way(Run(manager: manager, request: request, shared: shared), to: .original, turn).result()
        }
      }
      await load.end(.succeeded(original.source))?.deliverAll()
      return original
    } catch {
      throw await failed(error)
    }
  }

  // MARK: Steps

  /// Resolves a request with the settings of the manager.
  ///
  /// The first URL that can be resolved begins the load.
  @inline(never)
  private func resolve(_ request: ImageRequest) throws(ImageError) -> ResolvedRequest {
    let known =
      load.recipe.map { request.resolved(as: $0, with: manager.configuration, by: manager.identity) }
      ?? request.resolved(with: manager.configuration, by: manager.identity)
    guard let resolved = known else { throw request.whyUnresolved }
    guard load.begin(resolved, clock: manager.configuration.clock) else {
      throw .cancelled(subject: resolved.subject)
    }
    return resolved
  }

  /// Adds the load to the running loads.
  @inline(never)
  private func register(_ request: ResolvedRequest) throws(ImageError) -> RunningLoads.Slot {
    guard let slot = manager.loads.add(load) else {
      throw ImageError(.cancelled, "The manager is closed.", subject: request.subject)
    }
    return slot
  }

  /// Takes a place in the run that makes the result of a request, without waiting.
  private func place(for request: ResolvedRequest, _ goal: Goal) -> RunPlace {
    let place = load.place(for: request)
    manager.resultRuns.join(at: place, ResultKey(request)) {
      // The turn begins here: if the picture is removed after this point, the load stores nothing.
      let turn = manager.storeQueues.begin(request.originalKey)
      return { [manager] shared in
        try await Way(Run(manager: manager, request: request, shared: shared), to: goal, turn).result()
      }
    }
    return place
  }

  /// Tries the URL of the request and then its fallback URLs, until `body` succeeds.
  private func fromFirstSource<Value>(
    _ body: (ResolvedRequest) async throws -> Value
  ) async throws -> Value {
    do {
      return try await body(resolve(load.request))
    } catch let failure as ImageError where !failure.isCancellation && !load.request.fallbackURLs.isEmpty {
      return try await fromFallbacks(after: failure, body)
    }
  }

  private func fromFallbacks<Value>(
    after first: ImageError, _ body: (ResolvedRequest) async throws -> Value
  ) async throws -> Value {
    var causes: [any Error] = [first]
    for url in load.request.fallbackURLs {
      var request = load.request
      request.url = url
      do {
        return try await body(resolve(request))
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

  @inline(never)
  private func failed(_ error: any Error) async -> ImageError {
    let subject = load.request.url?.absoluteString
    let failure = ImageError.wrapping(error, as: .network, "The load failed.", subject: subject)
    let reporter = load.end(.failed(failure))
    // A caller that cancels gets its answer at once, even if an observer is slow.
    if failure.isCancellation { reporter?.deliver() } else { await reporter?.deliverAll() }
    return failure
  }
}

/// The state of a load after the part that needs no waiting.
enum LoadStart: Sendable {
  /// Memory had everything that the caller wants.
  case answered(MemoryHit, ResolvedRequest)
  /// Memory had the picture, but something that the caller wants besides was missing.
  case found(Product, ResolvedRequest, RunningLoads.Slot)
  /// The load waits for a run.
  case joined(RunPlace, ResolvedRequest, RunningLoads.Slot)
  /// The load has failed.
  case failed(ImageError)

  /// True when memory had the picture in the form in which it is delivered.
  var wasInMemory: Bool {
    switch self {
    case .answered: true
    case .found(let product, let request, _): !request.transformsFirstFrame(of: product.parts.picture.image)
    case .joined, .failed: false
    }
  }

  /// Waits for the result of the load.
  func product() async throws -> Product {
    switch self {
    case .found(let product, _, _): return product
    case .joined(let place, _, _): return try await place.value()
    case .answered, .failed: preconditionFailure("There is nothing to wait for.")
    }
  }
}
