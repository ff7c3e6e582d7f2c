import EaselCore

/// A memory store that keeps everything and records each call.
public final class RecordingMemoryStore: MemoryStore {
  private struct State {
    var table = EntryTable()
    var calls: [StoreCall] = []
  }

  private let state = Watched(State())

  /// Creates an empty store.
  public init() {}

  /// The calls in order.
  public var calls: [StoreCall] { state.withLock { $0.calls } }

  /// Everything that it keeps, without this counting as a call.
  public var entries: [CacheKey: CacheEntry] { state.withLock { $0.table.entries } }

  /// Forgets the calls so far.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Keeps an entry without this counting as a call.
  public func seed(_ entry: CacheEntry, for key: CacheKey) { state.withLock { $0.table[key] = entry } }

  /// Suspends until a call was made.
  public func wait(for call: StoreCall) async { await state.wait { $0.calls.contains(call) } }

  /// What is kept under a key.
  public func entry(for key: CacheKey) -> CacheEntry? { record(.query(key)) { $0[key] } }

  /// Keeps an entry.
  public func store(_ entry: CacheEntry, for key: CacheKey) { record(.store(key)) { $0[key] = entry } }

  /// Renews records.
  public func renew(_ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64) {
    record(.renew(key)) { $0.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Forgets an entry.
  public func remove(_ key: CacheKey) { record(.remove(key)) { $0[key] = nil } }

  /// Whether something is kept under a key.
  public func contains(_ key: CacheKey) -> Bool { record(.contains(key)) { $0[key] != nil } }

  /// Forgets everything.
  public func removeAll() { record(.clear) { $0.removeAll() } }

  /// Does nothing, since nothing is ever too old.
  public func trim() { record(.trim) { _ in } }

  /// The number of entries.
  public var count: Int { record(.count) { $0.count } }

  /// The memory that the entries take.
  public var totalCost: Int { record(.size) { $0.cost } }

  private func record<Result>(_ call: StoreCall, _ body: (inout EntryTable) -> Result) -> Result {
    state.withLock { state in
      state.calls.append(call)
      return body(&state.table)
    }
  }
}
