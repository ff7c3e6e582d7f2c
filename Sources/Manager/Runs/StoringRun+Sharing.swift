import EaselCore
import EaselTiers

/// Using what other machines have stored.
extension StoringRun {
  /// A hit that may be used; nil for one from other machines that is not what its record says, which is removed.
  func trusted(_ hit: CacheHit, for key: CacheKey, in cache: any ImageCache) async throws -> CacheHit? {
    guard hit.layer == .shared else { return hit }
    if try await isTrue(hit.entry, for: key) { return hit }
    report(
      ImageError(
        .cacheFailed, "The shared store had something else than its record says. The entry is removed.",
        subject: key.readable), of: key)
    do {
      try await manager.call(cache, about: key, within: ImageManager.queryTime) {
        try await cache.remove(key, from: .shared)
      }
    } catch {
      report(error, of: key)
    }
    return nil
  }

  /// Stores on disk what another machine had, so that it is found here the next time.
  func fillDisk(
    _ entry: CacheEntry, for key: CacheKey, in cache: any ImageCache, _ layers: CacheLayers
  ) -> [Task<Void, Never>] {
    guard layers.contains(.disk), cache.layers(for: key).contains(.disk) else { return [] }
    let task = manager.storeLanes.add(turn, of: turn, generation: entry.record.generation, brings: false, in: .disk) {
      do {
        try await manager.store(entry, for: key, in: cache, .disk, within: ImageManager.storeTime)
        report(.stored(key, .disk))
      } catch {
        report(error, of: key)
      }
    }
    return [task]
  }
}

extension ManagerRun {
  /// True when an entry from other machines is what its record says, and may be used here.
  ///
  /// Bytes that cannot be checked in time are not trusted.
  func isTrue(_ entry: CacheEntry, for key: CacheKey) async throws -> Bool {
    do {
      return try await hasTrueBytes(entry, for: key)
    } catch {
      try Task.checkCancellation()
      return false
    }
  }

  private func hasTrueBytes(_ entry: CacheEntry, for key: CacheKey) async throws -> Bool {
    let record = entry.record
    guard let bytes = entry.bytes, !bytes.isEmpty, bytes.count <= request.limits.downloadBytes, record.mayBeShared,
      record.picture == nil
    else { return false }
    let work = newWork()
    if !key.isVariant {
      return try await onWorker(.reading, work) { try ContentGeneration.of(bytes) == record.generation }
    }
    // A type that nobody asked for could make a browser run what it takes for a picture.
    guard let size = record.encodedSize, let type = record.mimeType,
      request.form?.file(ofFormat: ImageFormat(mimeType: type)) != nil
    else { return false }
    return try await onWorker(.reading, work) { [manager] in
      let registry = manager.configuration.coders
      let format = ImageFormat(mimeType: type)
      // The signature of a format that is only written here cannot be checked.
      guard let coder = registry.coder(decoding: format) else { return true }
      guard (try? registry.format(of: bytes, work: work)) == format else { return false }
      guard let header = try? coder.probe(bytes, work: work) else { return false }
      // The header may state the sides before the picture is turned.
      return header.storedSize == size || header.storedSize == PixelSize(width: size.height, height: size.width)
    }
  }
}

/// Claiming work among several processes.
extension ManagerRun {
  /// Claims work for all callers of this run.
  func claim(_ kind: FlightKey.Kind, _ key: CacheKey) async throws -> FlightCalls.Claimed {
    guard let flights = manager.flights else { return .unasked }
    let claimed = try await flights.claim(FlightKey(kind, key), deadline: shared.wish.deadlineIfAny)
    try Task.checkCancellation()
    if let result = claimed.result { report(.claimed(kind, result)) }
    return claimed
  }
}

extension ResolvedRequest {
  /// True when another machine may transfer the original for this one.
  func mayClaimTransfer(_ key: TransferKey) -> Bool {
    !key.isRevalidation && key.alone == nil && layers.queryOfBytes.contains(.shared)
      && layers.storeOfBytes.contains(.shared) && !options.contains(.refreshCached)
      && originalCache.layers(for: originalKey).contains(.shared)
  }

  /// True when another machine may make the encoded variant for this one.
  var mayClaimVariant: Bool {
    layers.encodedQuery.contains(.shared) && layers.encodedStore.contains(.shared)
      && !options.contains(.refreshCached) && cache.layers(for: resultKey).contains(.shared)
  }
}
