import EaselCore

/// A shared store in the memory of one process, for tests of several managers in it.
///
/// It keeps the rules that every shared store must keep. It records each call, and fails, hangs or lies on request.
public final class InMemorySharedStore: SharedStore {
  private struct State {
    var table = EntryTable()
    /// The newest record of each original.
    var newest: [CacheKey: CacheRecord] = [:]
    var calls: [StoreCall] = []
    var failures: [StoreOperation: any Error] = [:]
    var gates: [StoreOperation: AsyncGate] = [:]
    var deaf: Set<StoreOperation> = []
    var lie: (@Sendable (CacheKey, CacheEntry?) -> CacheEntry?)?
    var knowsNumbers = true

    /// True when the bytes of an original were older than those that are known.
    func isOutdated(_ record: CacheRecord, of original: CacheKey) -> Bool {
      guard let known = newest[original], known.generation != record.generation else { return false }
      return record.isOlder(than: known)
    }

    mutating func note(_ record: CacheRecord, of original: CacheKey) {
      if let known = newest[original], record.isOlder(than: known) { return }
      newest[original] = record
    }
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

  /// Makes an operation fail from now on; nil makes it work again.
  public func fail(_ operation: StoreOperation, with error: (any Error)?) {
    state.withLock { $0.failures[operation] = error }
  }

  /// Makes every operation fail from now on; nil makes them work again.
  public func failEverything(with error: (any Error)?) {
    for operation in StoreOperation.allCases { fail(operation, with: error) }
  }

  /// Suspends tasks that start an operation until ``resume(_:)``; a deaf operation does not notice a cancellation.
  public func suspend(_ operation: StoreOperation, isDeaf: Bool = false) {
    state.withLock { state in
      if isDeaf { state.deaf.insert(operation) } else { state.deaf.remove(operation) }
    }
    gate(operation).close()
  }

  /// Lets suspended tasks of an operation continue.
  public func resume(_ operation: StoreOperation) { gate(operation).open() }

  /// Suspends until this many tasks are suspended in an operation.
  public func waitUntilSuspended(_ operation: StoreOperation, count: Int = 1) async {
    await gate(operation).waitForWaiters(count: count)
  }

  /// Suspends until a call was recorded.
  public func wait(for call: StoreCall) async { await state.wait { $0.calls.contains(call) } }

  /// Suspends until there is an entry under a key.
  public func waitForEntry(_ key: CacheKey) async { await state.wait { $0.table[key] != nil } }

  /// Changes the answers to lookups; nil makes the store honest again.
  public func lie(_ lie: (@Sendable (CacheKey, CacheEntry?) -> CacheEntry?)?) { state.withLock { $0.lie = lie } }

  /// Makes the store unable to tell how much it holds.
  public func forgetNumbers() { state.withLock { $0.knowsNumbers = false } }

  // MARK: SharedStore

  /// The bytes and the record of a key.
  public func entry(for key: CacheKey) async throws -> CacheEntry? {
    try await perform(.query, .query(key)) { state in
      let original = key.originalKey
      var found = state.table[key]
      if let known = state.newest[original], found?.record.generation != known.generation { found = nil }
      return state.lie.map { $0(key, found) } ?? found
    }
  }

  /// Stores the bytes and the record of an entry, unless they are older than what is known.
  public func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    try await perform(.store, .store(key)) { state in
      let original = key.originalKey
      guard !state.isOutdated(entry.record, of: original) else { return }
      state.note(entry.record, of: original)
      state.table[key] = CacheEntry(bytes: entry.bytes, record: entry.record)
    }
  }

  /// Renews the records of an original and its variants, unless the response is older than the known one.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    try await perform(.renew, .renew(key)) { state in
      let original = key.originalKey
      let known = state.newest[original]
      if let response, let newer = known?.response, response.isOlder(than: newer) { return }
      state.table.renew(response, ofOriginal: key, generation: generation)
      if let response, var record = known {
        (record.generation, record.response) = (generation, response)
        state.newest[original] = record
      } else if known?.generation != generation {
        state.newest[original] = nil
      }
    }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) async throws {
    try await perform(.remove, .remove(key)) { $0.table[key] = nil }
  }

  /// True when there is an entry for the key.
  public func contains(_ key: CacheKey) async throws -> Bool {
    try await perform(.contains, .contains(key)) { $0.table[key] != nil }
  }

  /// Removes all entries.
  public func removeAll() async throws {
    try await perform(.clear, .clear) { state in
      state.table.removeAll()
      state.newest = [:]
    }
  }

  /// The number of entries; nil after ``forgetNumbers()``.
  public func count() async throws -> Int? {
    try await perform(.count, .count) { $0.knowsNumbers ? $0.table.count : nil }
  }

  /// The size of the entries in bytes; nil after ``forgetNumbers()``.
  public func totalSize() async throws -> Int? {
    try await perform(.size, .size) { $0.knowsNumbers ? $0.table.cost : nil }
  }

  private func perform<Result: Sendable>(
    _ operation: StoreOperation, _ call: StoreCall, _ body: @Sendable (inout State) -> Result
  ) async throws -> Result {
    let (failure, isDeaf) = state.withLock { state in
      state.calls.append(call)
      return (state.failures[operation], state.deaf.contains(operation))
    }
    let gate = gate(operation)
    if isDeaf {
      try? await Task.detached { try await gate.pass() }.value
    } else {
      try await gate.pass()
    }
    if let failure { throw failure }
    return state.withLock { body(&$0) }
  }

  private func gate(_ operation: StoreOperation) -> AsyncGate {
    state.withLock { state in
      if let gate = state.gates[operation] { return gate }
      let gate = AsyncGate(isOpen: true)
      state.gates[operation] = gate
      return gate
    }
  }
}
