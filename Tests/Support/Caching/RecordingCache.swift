import EaselCore

/// A cache of two layers that keeps everything, records each call, and fails or stops on request.
public final class RecordingCache: ImageCache {
  private struct State {
    var memory = EntryTable()
    var disk = EntryTable()
    var calls: [CacheCall] = []
    var failures: [StoreOperation: any Error] = [:]
    var gates: [StoreOperation: AsyncGate] = [:]

    func tables(_ layers: CacheLayers) -> [EntryTable] {
      (layers.contains(.memory) ? [memory] : []) + (layers.contains(.disk) ? [disk] : [])
    }

    mutating func change(_ layers: CacheLayers, _ body: (inout EntryTable) -> Void) {
      if layers.contains(.memory) { body(&memory) }
      if layers.contains(.disk) { body(&disk) }
    }
  }

  /// A name that tells several caches apart.
  public let name: String
  private let answersMemoryAtOnce: Bool
  private let state = Watched(State())

  /// Creates an empty cache; `answersMemoryAtOnce` is false for a cache without synchronous lookup.
  public init(_ name: String = "", answersMemoryAtOnce: Bool = true) {
    self.name = name
    self.answersMemoryAtOnce = answersMemoryAtOnce
  }

  // MARK: What a test does

  /// The calls in order, failed ones included.
  public var calls: [CacheCall] { state.withLock { $0.calls } }

  /// All entries of a layer; reading them is not recorded as a call.
  public func entries(in layer: CacheLayers) -> [CacheKey: CacheEntry] {
    state.withLock { ($0.tables(layer).first ?? EntryTable()).entries }
  }

  /// Clears the recorded calls.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Stores an entry in layers; this is not recorded as a call.
  public func seed(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers = .all) {
    state.withLock { $0.change(layers) { $0[key] = entry } }
  }

  /// Makes an operation fail from now on; nil makes it work again.
  public func fail(_ operation: StoreOperation, with error: (any Error)?) {
    state.withLock { $0.failures[operation] = error }
  }

  /// Suspends tasks that start an operation until ``resume(_:)``.
  public func suspend(_ operation: StoreOperation) { gate(operation).close() }

  /// Lets suspended tasks of an operation continue.
  public func resume(_ operation: StoreOperation) { gate(operation).open() }

  /// Suspends until this many tasks are suspended in an operation.
  public func waitUntilSuspended(_ operation: StoreOperation, count: Int = 1) async {
    await gate(operation).waitForWaiters(count: count)
  }

  /// Suspends until a call was recorded; the call itself may still be suspended.
  public func wait(for call: CacheCall) async { await state.wait { $0.calls.contains(call) } }

  // MARK: ImageCache

  /// The entry in memory.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? {
    state.withLock { state in
      state.calls.append(.memoryEntry(key))
      return answersMemoryAtOnce ? state.memory[key] : nil
    }
  }

  /// The entry of the first of these layers that has one.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheEntry.Hit? {
    try await perform(.query, .query(key, layers)) { state in
      if layers.contains(.memory), let entry = state.memory[key] { return CacheEntry.Hit(entry, in: .memory) }
      guard layers.contains(.disk), let entry = state.disk[key] else { return nil }
      return CacheEntry.Hit(CacheEntry(bytes: entry.bytes, record: entry.record), in: .disk)
    }
  }

  /// Stores an entry; on disk only if it has bytes and its key is valid in other processes.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    try await perform(.store, .store(key, layers)) { state in
      if layers.contains(.memory) { state.memory[key] = entry }
      if layers.contains(.disk), entry.bytes != nil, key.isStorable { state.disk[key] = entry }
    }
  }

  /// Renews the records of an original and its variants.
  public func renew(
    _ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    try await perform(.renew, .renew(key)) { state in
      state.change(layers) { $0.renew(response, ofOriginal: key, generation: generation) }
    }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    try await perform(.remove, .remove(key, layers)) { state in state.change(layers) { $0[key] = nil } }
  }

  /// The layers that have an entry.
  public func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    try await perform(.contains, .contains(key, layers)) { state in
      var found: CacheLayers = []
      if layers.contains(.memory), state.memory[key] != nil { found.insert(.memory) }
      if layers.contains(.disk), state.disk[key] != nil { found.insert(.disk) }
      return found
    }
  }

  /// Removes all entries.
  public func clear(_ layers: CacheLayers) async throws {
    try await perform(.clear, .clear(layers)) { state in state.change(layers) { $0.removeAll() } }
  }

  /// Does nothing, because no entry is ever too old.
  public func trim(_ layers: CacheLayers) async throws { try await perform(.trim, .trim(layers)) { _ in } }

  /// The number of entries.
  public func count(in layer: CacheLayers) async throws -> Int {
    try await perform(.count, .count(layer)) { state in state.tables(layer).reduce(0) { $0 + $1.count } }
  }

  /// The size of the entries in bytes.
  public func size(of layer: CacheLayers) async throws -> Int {
    try await perform(.size, .size(layer)) { state in state.tables(layer).reduce(0) { $0 + $1.cost } }
  }

  private func perform<Result>(
    _ operation: StoreOperation, _ call: CacheCall, _ body: (inout State) -> Result
  ) async throws -> Result {
    let failure = state.withLock { state in
      state.calls.append(call)
      return state.failures[operation]
    }
    try await gate(operation).pass()
    if let failure { throw failure }
    return state.withLock(body)
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
