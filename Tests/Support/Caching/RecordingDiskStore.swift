import EaselCore
import EaselWorkers

/// A disk store that keeps everything in memory, records each call, and fails or stops on request.
public final class RecordingDiskStore: DiskStore, ListingStore {
  private struct State {
    var table = EntryTable()
    var calls: [StoreCall] = []
    var failures: [StoreOperation: any Error] = [:]
    var gates: [StoreOperation: Gate] = [:]
  }

  private let state = Watched(State())

  /// Begins without an entry.
  public init() {}

  // MARK: What a test does

  /// The calls in order, failed ones included.
  public var calls: [StoreCall] { state.withLock { $0.calls } }

  /// All entries; reading them is not recorded as a call.
  public var entries: [CacheKey: CacheEntry] { state.withLock { $0.table.entries } }

  /// Clears the recorded calls.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Stores an entry; this is not recorded as a call.
  public func seed(_ entry: CacheEntry, for key: CacheKey) {
    state.withLock { $0.table[key] = CacheEntry(bytes: entry.bytes, record: entry.record) }
  }

  /// Makes an operation fail from now on; nil makes it work again.
  public func fail(_ operation: StoreOperation, with error: (any Error)?) {
    state.withLock { $0.failures[operation] = error }
  }

  /// Blocks threads that start an operation until ``resume(_:)``.
  public func suspend(_ operation: StoreOperation) { gate(operation).close() }

  /// Lets blocked threads of an operation continue.
  public func resume(_ operation: StoreOperation) { gate(operation).open() }

  /// Suspends until this many threads are blocked in an operation.
  public func waitUntilSuspended(_ operation: StoreOperation, count: Int = 1) async {
    await gate(operation).waitForWaiters(count: count)
  }

  /// Suspends until a call was recorded; the call itself may still be blocked.
  public func wait(for call: StoreCall) async { await state.wait { $0.calls.contains(call) } }

  // MARK: DiskStore

  /// The bytes and the record of a key.
  public func entry(for key: CacheKey) throws -> CacheEntry? { try perform(.query, .query(key)) { $0[key] } }

  /// Stores the bytes and the record of an entry.
  public func store(_ entry: CacheEntry, for key: CacheKey) throws {
    try perform(.store, .store(key)) { $0[key] = CacheEntry(bytes: entry.bytes, record: entry.record) }
  }

  /// Renews the records of an original and its variants.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {
    try perform(.renew, .renew(key)) { $0.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) throws { try perform(.remove, .remove(key)) { $0[key] = nil } }

  /// True when there is an entry for the key.
  public func contains(_ key: CacheKey) throws -> Bool { try perform(.contains, .contains(key)) { $0[key] != nil } }

  /// Removes all entries.
  public func removeAll() throws { try perform(.clear, .clear) { $0.removeAll() } }

  /// Does nothing, because no entry is ever too old.
  public func trim() throws { try perform(.trim, .trim) { _ in } }

  /// The number of entries.
  public func count() throws -> Int { try perform(.count, .count) { $0.count } }

  /// The size of the entries in bytes.
  public func totalSize() throws -> Int { try perform(.size, .size) { $0.cost } }

  /// Two entries at a time, in the order of their names, so that others may be removed meanwhile.
  package func listing(from place: Int64) throws -> StoreListing {
    func number(_ key: CacheKey) -> Int64 { Int64(key.diskName.prefix(15), radix: 16) ?? 0 }
    let rest = entries.map { (place: number($0.key), key: $0.key, entry: $0.value) }.filter { $0.place >= place }
      .sorted { $0.place < $1.place }
    let listed = rest.prefix(2).map {
      StoreListing.Entry(key: $0.key, record: $0.entry.record, byteCount: $0.entry.bytes?.count ?? 0)
    }
    return StoreListing(entries: listed, next: rest.dropFirst(2).first?.place)
  }

  private func perform<Result>(
    _ operation: StoreOperation, _ call: StoreCall, _ body: (inout EntryTable) -> Result
  ) throws -> Result {
    let failure = state.withLock { state in
      state.calls.append(call)
      return state.failures[operation]
    }
    gate(operation).pass()
    if let failure { throw failure }
    return state.withLock { body(&$0.table) }
  }

  private func gate(_ operation: StoreOperation) -> Gate {
    state.withLock { state in
      if let gate = state.gates[operation] { return gate }
      let gate = Gate(isOpen: true)
      state.gates[operation] = gate
      return gate
    }
  }
}
