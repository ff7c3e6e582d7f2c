import EaselCore
import EaselTiers
import EaselWorkers

/// Handles the part of other machines in a run: claims work, and checks and keeps what they have stored.
struct Fleet: Sendable {
  let run: Run

  private var request: ResolvedRequest { run.request }

  // MARK: Claiming work

  /// True when another machine may make the encoded variant for this one.
  var mayClaimVariant: Bool {
    run.manager.flights != nil && request.layers.encodedQuery.contains(.shared)
      && request.layers.encodedStore.contains(.shared) && !request.options.contains(.refreshCached)
      && request.cache.layers(for: request.resultKey).contains(.shared)
  }

  /// True when another machine may transfer the original for this one.
  func mayClaimTransfer(_ key: TransferKey) -> Bool {
    run.manager.flights != nil && !key.isRevalidation && key.alone == nil
      && request.layers.queryOfBytes.contains(.shared) && request.layers.storeOfBytes.contains(.shared)
      && !request.options.contains(.refreshCached)
      && request.originalCache.layers(for: request.originalKey).contains(.shared) && run.shared.mayAskSharedStore
  }

  /// Claims work for all callers of the run.
  @inline(never)
  func claim(_ kind: FlightKey.Kind, _ key: CacheKey) async throws -> FlightCalls.Claimed {
    guard let flights = run.manager.flights else { return .unasked }
    let claimed = try await flights.claim(FlightKey(kind, key), deadline: run.shared.wish.deadlineIfAny)
    try Task.checkCancellation()
    if let result = claimed.result { run.report(.claimed(kind, result)) }
    return claimed
  }

  // MARK: Using what others have stored

  /// True for a hit that may be used; if an entry from another machine contradicts its record, this removes the entry.
  func trusts(_ hit: CacheEntry.Hit, _ question: Question) async throws -> Bool {
    guard isFromOthers(hit) else { return true }
    return try await trusts(hit.entry, question)
  }

  @inline(never)
  private func trusts(_ entry: CacheEntry, _ question: Question) async throws -> Bool {
    if try await isTrue(entry, for: question.key) { return true }
    run.report(
      ImageError(
        .cacheFailed, "The shared store had something else than its record says. The entry is removed.",
        subject: question.key.readable), of: question.key)
    do {
      try await run.calls(question.cache).remove(question.key, from: .shared)
    } catch {
      run.report(error, of: question.key)
    }
    return false
  }

  /// Stores a hit from another machine on disk, so that it is found here the next time; returns nil for other hits.
  func keep(
    _ hit: CacheEntry.Hit, _ question: Question, in layers: CacheLayers, _ turn: StoreTicket
  ) -> Task<Void, Never>? {
    let (key, entry) = (question.key, hit.entry)
    guard isFromOthers(hit), layers.contains(.disk), question.cache.layers(for: key).contains(.disk) else { return nil }
    return run.manager.storeQueues.add(turn, of: turn, generation: entry.record.generation, brings: false, in: .disk) {
      do {
        try await run.calls(question.cache).store(entry, for: key, in: .disk)
        run.report(.stored(key, .disk))
      } catch {
        run.report(error, of: key)
      }
    }
  }

  private func isFromOthers(_ hit: CacheEntry.Hit) -> Bool { hit.layer == .shared }

  /// True when an entry from other machines matches its record and may be used here.
  ///
  /// Bytes that cannot be checked in time do not count as true.
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
    let work = run.newWork()
    if !key.isVariant {
      return try await run.onWorker(.reading, work) { try ContentGeneration.of(bytes) == record.generation }
    }
    // With a type that was not requested, a browser could run the bytes as something other than a picture.
    guard let size = record.encodedSize, let type = record.mimeType,
      request.form?.file(ofFormat: ImageFormat(mimeType: type)) != nil
    else { return false }
    return try await run.onWorker(.reading, work) {
      let registry = run.manager.configuration.coders
      let format = ImageFormat(mimeType: type)
      // If no coder here reads the format, its signature cannot be checked.
      guard let coder = registry.coder(decoding: format) else { return true }
      guard (try? registry.format(of: bytes, work: work)) == format else { return false }
      guard let header = try? coder.probe(bytes, work: work) else { return false }
      // The sides in the header may be swapped, because the picture is turned later.
      return header.storedSize == size || header.storedSize == PixelSize(width: size.height, height: size.width)
    }
  }
}
