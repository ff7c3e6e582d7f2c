import EaselCore
import EaselHTTP
import EaselWorkers

/// Finds a result in the caches, or makes it from what the caches have.
///
/// The work after a hit is in separate functions, so that the many loads that wait for a loader reserve no room for it.
struct CachedResult: Sendable {
  let maker: ResultMaker

  private var run: Run { maker.run }
  private var request: ResolvedRequest { run.request }

  @inline(never)
  func find() async throws -> Product? {
    switch maker.goal {
    case .picture:
      if let picture = try await findResult() { return picture }
      if request.isVariant, let picture = try await makeFromOriginal() { return picture }
    case .encoded:
      if let encoded = try await findResult() { return encoded }
      if let encoded = try await claimOrWait() { return encoded }
      if let encoded = try await makeFromMemory() { return encoded }
      if let encoded = try await makeFromOriginal() { return encoded }
    case .original:
      return try await findBytes()
    }
    run.report(.cacheMiss)
    return nil
  }

  // MARK: The result

  private func findResult() async throws -> Product? {
    let question = Question.result(of: request)
    guard let hit = try await Lookup(run: run).find(question) else { return nil }
    return try await result(of: hit, question)
  }

  @inline(never)
  private func result(of hit: CacheEntry.Hit, _ question: Question) async throws -> Product? {
    maker.goal == .encoded ? try await encoded(hit, question) : try await picture(hit, question)
  }

  private func picture(_ hit: CacheEntry.Hit, _ question: Question) async throws -> Product? {
    if let image = hit.entry.image {
      return request.accepts(image) ? product(.picture(image, bytes: hit.entry.bytes), hit) : nil
    }
    guard let bytes = hit.entry.bytes else { return nil }
    do {
      let image = try await Decoding(run: run).stored(bytes, hit.entry.record)
      guard request.accepts(image) else { return nil }
      var picture = product(.picture(image, bytes: bytes), hit)
      guard !image.traits.contains(.partial) else { return picture }
      await store(picture).inMemory()
      if let task = Fleet(run: run).keep(hit, question, in: request.layers.store, maker.turn) {
        picture.stores = [task]
      }
      return picture
    } catch {
      try await giveUp(question, in: hit.layer, error)
      return nil
    }
  }

  private func encoded(_ hit: CacheEntry.Hit, _ question: Question) async throws -> Product? {
    guard let bytes = hit.entry.bytes, let size = hit.entry.record.encodedSize, let type = hit.entry.record.mimeType
    else { return nil }
    do {
      let wish = run.shared.wish.encodedStore
      let wantsMemory = hit.layer != .memory && wish.contains(.memory)
      // If the bytes are in a file, they are read into memory, where the next caller finds them.
      let mustBeRead = wantsMemory && bytes.isInFile
      let ready = mustBeRead ? try await run.onWorker(.reading, run.newWork()) { try bytes.loaded() } : bytes
      let encoded = EncodingResult(bytes: ready, format: ImageFormat(mimeType: type), size: size)
      var result = product(.encoded(encoded), hit)
      if wantsMemory { await store(result).inMemory() }
      if let task = Fleet(run: run).keep(hit, question, in: wish, maker.turn) { result.stores = [task] }
      return result
    } catch {
      try Task.checkCancellation()
      run.report(error, of: question.key)
      return nil
    }
  }

  private func product(_ content: ProductParts.Content, _ hit: CacheEntry.Hit) -> Product {
    Product(ProductParts(content: content, source: ImageEvent.Source(hit.layer), record: hit.entry.record))
  }

  private func store(_ product: Product) -> Store {
    Store(run: run, product: product.parts, turn: maker.turn, load: maker.turn, isNew: false, body: nil)
  }

  /// Claims the work of making encoded bytes; returns the bytes if another process has made them by then.
  @inline(never)
  private func claimOrWait() async throws -> Product? {
    // If this load will refuse the URL, for example after a failure, it must not claim work that others would wait for.
    guard let flight = maker.flight, run.shared.mayAskSharedStore, (try? run.rules.refuse()) != nil else { return nil }
    switch try await Fleet(run: run).claim(.variant, request.resultKey) {
    case .goAhead, .unanswered, .unasked: return nil
    case .failed(let error): throw run.rules.remember(error)
    case .yours(let claim):
      flight.put(claim)
      return nil
    case .ready(let entry):
      let (hit, question) = (CacheEntry.Hit(entry, in: .shared), Question.result(of: request))
      guard run.accepts(entry, of: question.key, from: hit.layer), request.cacheUse.matches(entry.record),
        try await Fleet(run: run).trusts(hit, question)
      else { return nil }
      run.report(.cacheHit(hit.layer))
      return try await result(of: hit, question)
    }
  }

  // MARK: What the result is made from

  /// Encodes the finished picture if it is in memory, so that nothing has to be decoded.
  @inline(never)
  private func makeFromMemory() async throws -> Product? {
    guard let found = MemoryLookup.picture(request, by: run.manager), mayBeMadeFrom(found.image),
      !found.image.traits.contains(.lostGainMap)
    else { return nil }
    run.report(.cacheHit(.memory))
    let source = PixelSource.finished(found.image, generation: found.entry.record.generation)
    return try await maker.make(
      from: CachedOriginal(source: source, layer: .memory, bytes: nil, record: found.entry.record))
  }

  @inline(never)
  private func makeFromOriginal() async throws -> Product? {
    guard let original = try await findOriginal(isToBeFresh: false) else { return nil }
    return try await make(from: original)
  }

  @inline(never)
  private func make(from original: CachedOriginal) async throws -> Product? {
    do {
      return try await maker.make(from: original)
    } catch {
      // A coder from the context may fail on bytes that the manager's own coder can read, so the entry stays.
      let keepsEntry = request.coderName != nil
      try await giveUp(.original(of: request), in: keepsEntry ? [] : original.layer, error)
      return nil
    }
  }

  /// Finds the bytes of a cached original, for a load that wants these.
  @inline(never)
  private func findBytes() async throws -> Product? {
    guard let original = try await findOriginal(isToBeFresh: true), let bytes = original.bytes else { return nil }
    return Product(
      ProductParts(content: .original(bytes), source: ImageEvent.Source(original.layer), record: original.record))
  }

  /// Finds the original in a cache; with `isToBeFresh`, a fresh original is preferred.
  ///
  /// A bitmap in memory can serve only requests that begin with a full decode; other requests need the bytes.
  private func findOriginal(isToBeFresh: Bool) async throws -> CachedOriginal? {
    var question = Question.original(of: request)
    var stale: CachedOriginal?
    while let hit = try await Lookup(run: run).find(question) {
      question.layers.subtract(hit.layer)
      let (entry, record) = (hit.entry, hit.entry.record)
      if let image = entry.image, maker.goal != .original, mayBeMadeFrom(image), request.decodesPlainly,
        request.needsEveryPixel(of: image)
      {
        let source = PixelSource.image(image, generation: record.generation)
        return CachedOriginal(source: source, layer: hit.layer, bytes: entry.bytes, record: record)
      }
      guard let bytes = entry.bytes else { continue }
      _ = Fleet(run: run).keep(hit, question, in: request.layers.storeOfBytes, maker.turn)
      let original = CachedOriginal(source: .cached(bytes, record), layer: hit.layer, bytes: bytes, record: record)
      if !isToBeFresh || request.cacheUse.mayUseWithoutAsking(record, by: run.clock) { return original }
      stale = original
    }
    return stale
  }

  /// False if encoded bytes are wanted and the original bytes of this picture may satisfy the request.
  ///
  /// The original bytes come first then, so that the result does not depend on what the caches have.
  private func mayBeMadeFrom(_ image: Image) -> Bool {
    maker.goal != .encoded || PassThrough(request)?.mayHaveComeFromWantedBytes(image) != true
  }

  /// Removes an entry that cannot be decoded, so that the next lookup does not find it.
  private func giveUp(_ question: Question, in layer: CacheLayers, _ error: any Error) async throws {
    try Task.checkCancellation()
    let failure = ImageError.wrapping(error, as: .badImageData, "A stored picture could not be decoded.")
    guard [.badImageData, .unsupportedFormat].contains(failure.code) else { throw failure }
    run.report(failure, of: question.key)
    guard !layer.isEmpty else { return }
    do {
      try await run.calls(question.cache).remove(question.key, from: layer)
    } catch {
      run.report(error, of: question.key)
    }
  }
}

/// An original that was found in a cache.
struct CachedOriginal: Sendable {
  let source: PixelSource
  let layer: CacheLayers
  let bytes: ImageBytes?
  let record: CacheRecord
}
