import FoundationEssentials

/// What the caches have: looked up once for all who ask, decoded where only bytes were kept.
extension ImageManager {
  /// The finished picture in memory, if it may be used without asking anyone.
  func inMemory(_ request: ResolvedRequest) -> FoundInMemory? {
    guard request.layers.query.contains(.memory), !request.options.contains(.refreshCached),
      let entry = request.cache.memoryEntry(for: request.variantKey), let image = entry.image,
      // A record is not looked at in vain: what looks at it gets a copy.
      isUsable(image, request), request.cachePolicy != .http || isFresh(entry.record, request)
    else { return nil }
    return FoundInMemory(image: image, entry: entry)
  }

  /// The picture as a cache keeps it.
  func storedPicture(
    _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture? {
    let layers = request.layers.query
    guard let hit = try await lookUp(request.variantKey, request.cache, request.cacheInstance, layers, request, in: run)
    else { return nil }
    if let image = hit.entry.image {
      guard isUsable(image, request) else { return nil }
      return Picture(image, from: hit.layer, bytes: hit.entry.bytes, record: hit.entry.record)
    }
    guard let bytes = hit.entry.bytes else { return nil }
    letOthersPass(hit.entry.record, request, in: run)
    do {
      let image = try await decodedStored(bytes, hit.entry.record, request, in: run)
      guard isUsable(image, request) else { return nil }
      let picture = Picture(image, from: hit.layer, bytes: bytes, record: hit.entry.record)
      return await keptInMemory(picture, request, turn, in: run)
    } catch {
      try await giveUpOnStored(request.variantKey, request.cache, hit.layer, error, in: run)
      return nil
    }
  }

  /// The picture made of the original that a cache keeps.
  func madeOfStoredOriginal(
    _ request: ResolvedRequest, _ turn: StoreTurn, in run: SharedRun
  ) async throws -> Picture? {
    guard let hit = try await originalHit(request, in: run) else { return nil }
    letOthersPass(hit.record, request, in: run)
    do {
      let held = try await pixels(of: hit.source, request, for: run)
      defer { held.release() }
      let image = held.value
      guard isUsable(image, request) else { return nil }
      var picture = Picture(image, from: hit.layer, bytes: nil, record: hit.record)
      if let data = request.context[.extendedData] { picture.record.extendedData = data }
      if request.keepsReceivedPixels(image) { picture.bytes = hit.bytes }
      return try await stored(picture, turn, of: turn, request, in: run)
    } catch {
      // A coder that the context chose may not know what the manager's reads well.
      let keeps = request.coderName != nil
      try await giveUpOnStored(
        request.originalKey, request.originalCache, keeps ? [] : hit.layer, error, in: run)
      return nil
    }
  }

  private struct OriginalHit {
    let source: PixelSource
    let layer: CacheLayers
    let bytes: ImageBytes?
    let record: CacheRecord
  }

  /// A bitmap in memory serves only what begins with a full decode; otherwise the bytes are asked for.
  private func originalHit(_ request: ResolvedRequest, in run: SharedRun) async throws -> OriginalHit? {
    var layers = request.layers.originalQuery
    while let hit = try await lookUp(
      request.originalKey, request.originalCache, request.originalCacheInstance, layers, request, in: run)
    {
      let generation = hit.entry.record.generation
      if let image = hit.entry.image, request.decodesPlainly, request.needsEveryPixel(of: image.size) {
        let source = PixelSource.image(image, generation: generation)
        return OriginalHit(source: source, layer: hit.layer, bytes: hit.entry.bytes, record: hit.entry.record)
      }
      if let bytes = hit.entry.bytes {
        let source = PixelSource.cached(bytes, hit.entry.record)
        return OriginalHit(source: source, layer: hit.layer, bytes: bytes, record: hit.entry.record)
      }
      layers.subtract(hit.layer)
    }
    return nil
  }

  /// Asks a cache; one that fails has nothing.
  func lookUp(
    _ key: CacheKey, _ cache: any ImageCache, _ instance: PluginInstance, _ layers: CacheLayers,
    _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> CacheHit? {
    guard !layers.isEmpty else { return nil }
    let lookup = LookupKey(key: key, layers: layers, cache: instance)
    do {
      let hit = try await lookupRuns.value(for: lookup, seat: Seat(for: run)) { _ in
        try await self.call(cache, about: key, within: Self.queryTime) { try await cache.query(key, in: layers) }
      }
      guard let hit, matches(hit.entry.record, request) else { return nil }
      run.report(.cacheHit(hit.layer))
      return hit
    } catch {
      try Task.checkCancellation()
      report(error, of: key, in: run)
      return nil
    }
  }

  /// Bytes under an original's key are decoded as asked; those under a variant's key hold the finished pixels.
  private func decodedStored(
    _ bytes: ImageBytes, _ record: CacheRecord, _ request: ResolvedRequest, in run: SharedRun
  ) async throws -> Image {
    guard request.isVariant else {
      return try await pixels(of: .cached(bytes, record), request, for: run).value
    }
    let work = work(for: request, in: run, response: record.response?.head)
    let started = configuration.clock.uptime
    var image = try await onWorker(.decoder, work, request, in: run) {
      let coder = try self.coder(reading: bytes, request)
      let options = request.decodeOptions.reading(record.picture, isVariant: true)
      return try request.checks.decode(bytes, by: coder, work: work) { _ in options }
    }
    run.report(.decoded(image.size, configuration.clock.uptime - started))
    if let known = record.picture {
      known.restore(&image)
      return image
    }
    // One that was stored before there were such records.
    if request.decodeOptions.makesSmaller { image.traits.insert(.thumbnail) }
    if !request.transformer.isIdentity && !request.keepsReceivedPixels(image) { image.traits.insert(.transformed) }
    return image
  }

  /// The coder for bytes that the manager may have written, by another coder than the one that reads the original.
  func coder(reading bytes: ImageBytes, _ request: ResolvedRequest) throws -> any ImageCoder {
    let isOwn = try request.coder.canDecode(prefix: bytes.prefix(CoderRegistry.sniffLength))
    return isOwn ? request.coder : configuration.coder
  }

  /// Has no load wait for one that was found and only has to be decoded.
  private func letOthersPass(_ record: CacheRecord, _ request: ResolvedRequest, in run: SharedRun) {
    if mayUseUnasked(record, request) { departures.leave(run.priority.turn) }
  }

  /// What cannot be decoded is no hit, and is taken out so that it does not stand in the way again.
  private func giveUpOnStored(
    _ key: CacheKey, _ cache: any ImageCache, _ layer: CacheLayers, _ error: any Error, in run: SharedRun
  ) async throws {
    try Task.checkCancellation()
    let failure = ImageError.wrapping(error, as: .badImageData, "A stored picture could not be decoded.")
    guard [.badImageData, .unsupportedFormat].contains(failure.code) else { throw failure }
    report(failure, of: key, in: run)
    guard !layer.isEmpty else { return }
    do {
      try await call(cache, about: key, within: Self.queryTime) { try await cache.remove(key, from: layer) }
    } catch {
      report(error, of: key, in: run)
    }
  }

  func report(_ error: any Error, of key: CacheKey, in run: SharedRun) {
    run.report(
      .cacheFailed(.wrapping(error, as: .cacheFailed, "A cache failed; the load goes on.", subject: key.readable)))
  }

  private func isUsable(_ image: Image, _ request: ResolvedRequest) -> Bool {
    image.isAnimated || !request.options.contains(.requireAnimated)
  }
}

extension DecodeOptions {
  /// How to read stored bytes.
  ///
  /// Those of a variant were made with these options before, and the pixels that the manager itself wrote are finished.
  func reading(_ picture: PictureRecord?, isVariant: Bool) -> DecodeOptions {
    var options = self
    if isVariant {
      options.thumbnailSize = nil
      options.scaleDownLimitBytes = nil
    }
    if isVariant || picture != nil { options.typeHint = nil }
    if picture?.hasFinishedPixels == true {
      options.appliesOrientation = false
      options.convertsColor = false
      options.keeps16Bits = true
    }
    return options
  }

  var makesSmaller: Bool { thumbnailSize != nil || scaleDownLimitBytes != nil }
}
