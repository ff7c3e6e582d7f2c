import EaselCore

/// A memory store that keeps everything and records each call.
public final class RecordingMemoryStore: MemoryStore {
  private struct State {
    var table = EntryTable()
    var calls: [StoreCall] = []
  }

  private let state = Watched(State())

  /// Begins without an entry.
  public init() {}

  /// The calls in order.
  public var calls: [StoreCall] { state.withLock { $0.calls } }

  /// All entries; reading them is not recorded as a call.
  public var entries: [CacheKey: CacheEntry] { state.withLock { $0.table.entries } }

  /// Clears the recorded calls.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Stores an entry; this is not recorded as a call.
  public func seed(_ entry: CacheEntry, for key: CacheKey) { state.withLock { $0.table[key] = entry } }

  /// Suspends until a call was recorded.
  public func wait(for call: StoreCall) async { await state.wait { $0.calls.contains(call) } }

  /// The entry of a key.
  public func entry(for key: CacheKey) -> CacheEntry? { record(.query(key)) { $0[key] } }

  /// Stores an entry.
  public func store(_ entry: CacheEntry, for key: CacheKey) { record(.store(key)) { $0[key] = entry } }

  /// Renews the records of an original and its variants.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    record(.renew(key)) { $0.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) { record(.remove(key)) { $0[key] = nil } }

  /// True when there is an entry for the key.
  public func contains(_ key: CacheKey) -> Bool { record(.contains(key)) { $0[key] != nil } }

  /// Removes all entries.
  public func removeAll() { record(.clear) { $0.removeAll() } }

  /// Does nothing, because no entry is ever too old.
  public func trim() { record(.trim) { _ in } }

  /// The number of entries.
  public var count: Int { record(.count) { $0.count } }

  /// The memory of the entries in bytes.
  public var totalCost: Int { record(.size) { $0.cost } }

  private func record<Result>(_ call: StoreCall, _ body: (inout EntryTable) -> Result) -> Result {
    state.withLock { state in
      state.calls.append(call)
      return body(&state.table)
    }
  }
}
