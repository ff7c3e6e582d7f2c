import EaselCore

/// A cache of two layers that keeps everything, records each call, and fails or stops when a test says so.
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

  /// What tests tell several caches apart by.
  public let name: String
  private let answersMemoryAtOnce: Bool
  private let state = Watched(State())

  /// Creates an empty cache, which may be one that cannot answer at once.
  public init(_ name: String = "", answersMemoryAtOnce: Bool = true) {
    self.name = name
    self.answersMemoryAtOnce = answersMemoryAtOnce
  }

  // MARK: What a test does

  /// The calls in order; those that failed are among them.
  public var calls: [CacheCall] { state.withLock { $0.calls } }

  /// Everything that a layer keeps, without this counting as a call.
  public func entries(in layer: CacheLayers) -> [CacheKey: CacheEntry] {
    state.withLock { ($0.tables(layer).first ?? EntryTable()).entries }
  }

  /// Forgets the calls so far.
  public func forgetCalls() { state.withLock { $0.calls = [] } }

  /// Keeps an entry in layers without this counting as a call.
  public func seed(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers = .all) {
    state.withLock { $0.change(layers) { $0[key] = entry } }
  }

  /// Makes an operation fail from now on, or work again with nil.
  public func fail(_ operation: StoreOperation, with error: (any Error)?) {
    state.withLock { $0.failures[operation] = error }
  }

  /// Suspends the tasks that come for an operation until ``resume(_:)``.
  public func suspend(_ operation: StoreOperation) { gate(operation).close() }

  /// Lets an operation go on.
  public func resume(_ operation: StoreOperation) { gate(operation).open() }

  /// Suspends until this many tasks wait in an operation.
  public func waitUntilSuspended(_ operation: StoreOperation, count: Int = 1) async {
    await gate(operation).waitForWaiters(count: count)
  }

  /// Suspends until a call was made, which may still be suspended.
  public func wait(for call: CacheCall) async { await state.wait { $0.calls.contains(call) } }

  // MARK: ImageCache

  /// What memory holds.
  public func memoryEntry(for key: CacheKey) -> CacheEntry? {
    state.withLock { state in
      state.calls.append(.memoryEntry(key))
      return answersMemoryAtOnce ? state.memory[key] : nil
    }
  }

  /// What the first of these layers that has it holds.
  public func query(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheHit? {
    try await perform(.query, .query(key, layers)) { state in
      if layers.contains(.memory), let entry = state.memory[key] { return CacheHit(entry, in: .memory) }
      guard layers.contains(.disk), let entry = state.disk[key] else { return nil }
      return CacheHit(CacheEntry(bytes: entry.bytes, record: entry.record), in: .disk)
    }
  }

  /// Keeps an entry.
  public func store(_ entry: CacheEntry, for key: CacheKey, in layers: CacheLayers) async throws {
    try await perform(.store, .store(key, layers)) { state in
      if layers.contains(.memory) { state.memory[key] = entry }
      if layers.contains(.disk), entry.bytes != nil { state.disk[key] = entry }
    }
  }

  /// Renews records.
  public func renew(
    _ response: ResponseRecord?, ofOriginal key: CacheKey, generation: UInt64, in layers: CacheLayers
  ) async throws {
    try await perform(.renew, .renew(key)) { state in
      state.change(layers) { $0.renew(response, ofOriginal: key, generation: generation) }
    }
  }

  /// Forgets an entry.
  public func remove(_ key: CacheKey, from layers: CacheLayers) async throws {
    try await perform(.remove, .remove(key, layers)) { state in state.change(layers) { $0[key] = nil } }
  }

  /// The layers that hold an entry.
  public func contains(_ key: CacheKey, in layers: CacheLayers) async throws -> CacheLayers {
    try await perform(.contains, .contains(key, layers)) { state in
      var found: CacheLayers = []
      if layers.contains(.memory), state.memory[key] != nil { found.insert(.memory) }
      if layers.contains(.disk), state.disk[key] != nil { found.insert(.disk) }
      return found
    }
  }

  /// Forgets everything.
  public func clear(_ layers: CacheLayers) async throws {
    try await perform(.clear, .clear(layers)) { state in state.change(layers) { $0.removeAll() } }
  }

  /// Does nothing, since nothing is ever too old.
  public func trim(_ layers: CacheLayers) async throws { try await perform(.trim, .trim(layers)) { _ in } }

  /// The number of entries.
  public func count(in layer: CacheLayers) async throws -> Int {
    try await perform(.count, .count(layer)) { state in state.tables(layer).reduce(0) { $0 + $1.count } }
  }

  /// The bytes that entries take.
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
