import EaselCore
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Testing

struct CacheGroupTests {
  private struct Failure: Error, Equatable { let name: String }

  private let low = RecordingCache("low")
  private let middle = RecordingCache("middle")
  private let high = RecordingCache("high")
  private let key = CacheKey(original: "picture")
  private let response = CacheRecord.Response(status: 200, headers: [:], requested: Date(), received: Date())

  @Test func layersAreThoseOfTheCachesThatAreStoredInto() {
    let memory = TieredCache(memory: RecordingMemoryStore())
    let disk = TieredCache(disk: RecordingDiskStore())
    func layers(_ policy: CacheGroup.Policy) -> CacheLayers {
      var policies = CacheGroup.Policies()
      policies.store = policy
      return CacheGroup([memory, disk], policies: policies).layers(for: key)
    }
    #expect(layers(.serial) == .local && layers(.concurrent) == .local)
    #expect(layers(.highestOnly) == .disk && layers(.lowestOnly) == .memory)
    #expect(CacheGroup().layers(for: key) == [])
  }

  /// The operations that return nothing.
  enum Command: CaseIterable, Sendable { case store, renew, remove, clear, trim }

  private func group(_ policy: CacheGroup.Policy) -> CacheGroup {
    var policies = CacheGroup.Policies()
    policies.query = policy
    policies.store = policy
    policies.renew = policy
    policies.remove = policy
    policies.contains = policy
    policies.clear = policy
    policies.trim = policy
    return CacheGroup([low, middle], policies: policies).adding(high)
  }

  private func run(_ command: Command, on cache: CacheGroup) async throws {
    switch command {
    case .store: try await cache.store(.sample(), for: key, in: .local)
    case .renew: try await cache.renew(response, ofOriginal: key, generation: 1, in: .local)
    case .remove: try await cache.remove(key, from: .disk)
    case .clear: try await cache.clear(.memory)
    case .trim: try await cache.trim(.local)
    }
  }

  private func call(_ command: Command) -> CacheCall {
    switch command {
    case .store: .store(key, .local)
    case .renew: .renew(key)
    case .remove: .remove(key, .disk)
    case .clear: .clear(.memory)
    case .trim: .trim(.local)
    }
  }

  private func operation(_ command: Command) -> StoreOperation {
    switch command {
    case .store: .store
    case .renew: .renew
    case .remove: .remove
    case .clear: .clear
    case .trim: .trim
    }
  }

  private func members(_ policy: CacheGroup.Policy) -> Set<String> {
    switch policy {
    case .serial, .concurrent: ["low", "middle", "high"]
    case .highestOnly: ["high"]
    case .lowestOnly: ["low"]
    }
  }

  private var all: [RecordingCache] { [high, middle, low] }

  // MARK: Commands

  @Test(arguments: CacheGroup.Policy.allCases, Command.allCases)
  func aCommandReachesTheCachesOfItsPolicy(policy: CacheGroup.Policy, command: Command) async throws {
    try await run(command, on: group(policy))
    for cache in all {
      #expect(cache.calls == (members(policy).contains(cache.name) ? [call(command)] : []), "\(cache.name)")
    }
  }

  @Test(arguments: CacheGroup.Policy.allCases, Command.allCases)
  func aCacheThatFailsKeepsNoOtherFromItsPart(policy: CacheGroup.Policy, command: Command) async throws {
    for cache in all { cache.fail(operation(command), with: Failure(name: cache.name)) }
    let error = await #expect(throws: ImageError.self) { try await run(command, on: group(policy)) }
    let failed = Set((error?.causes ?? []).compactMap { ($0 as? Failure)?.name })
    #expect(error?.code == .cacheFailed)
    #expect(failed == members(policy))
    for cache in all { #expect(cache.calls.count == (members(policy).contains(cache.name) ? 1 : 0)) }
  }

  @Test(arguments: Command.allCases)
  func serialCommandsGoFromTheHighestDown(command: Command) async throws {
    for cache in all { cache.suspend(operation(command)) }
    let running = Task { try await run(command, on: group(.serial)) }
    for (index, cache) in all.enumerated() {
      await cache.waitUntilSuspended(operation(command))
      #expect(all[(index + 1)...].allSatisfy { $0.calls.isEmpty })
      cache.resume(operation(command))
    }
    try await running.value
  }

  @Test(arguments: Command.allCases)
  func concurrentCommandsRunAtOnce(command: Command) async throws {
    for cache in all { cache.suspend(operation(command)) }
    let running = Task { try await run(command, on: group(.concurrent)) }
    for cache in all { await cache.waitUntilSuspended(operation(command)) }
    for cache in all { cache.resume(operation(command)) }
    try await running.value
  }

  @Test func aCancelledSerialCommandAsksNoFurtherCache() async throws {
    high.suspend(.store)
    let running = Task { try await run(.store, on: group(.serial)) }
    await high.waitUntilSuspended(.store)
    running.cancel()
    let error = await #expect(throws: ImageError.self) { try await running.value }
    #expect(error?.code == .cancelled)
    #expect(middle.calls.isEmpty)
  }

  // MARK: Queries

  private static let holders: [Set<String>] = [
    [], ["low"], ["middle"], ["high"], ["low", "high"], ["low", "middle"], ["low", "middle", "high"],
  ]

  @Test(arguments: CacheGroup.Policy.allCases, holders)
  func aQueryFindsWhatACacheOfItsPolicyHolds(policy: CacheGroup.Policy, holders: Set<String>) async throws {
    for cache in all where holders.contains(cache.name) { try seed(cache) }
    let hit = try await group(policy).query(key, in: .local)
    let found = hit?.entry.record.generation
    let allowed = all.filter { holders.contains($0.name) && members(policy).contains($0.name) }.map(\.name)
    if policy == .concurrent {
      #expect(found.map { allowed.map(generation).contains($0) } ?? allowed.isEmpty)
    } else {
      #expect(found == allowed.first.map(generation))
    }
    #expect(hit?.layer ?? .memory == .memory)
  }

  @Test(arguments: CacheGroup.Policy.allCases)
  func theSynchronousLookupFollowsThePolicyOfQueries(policy: CacheGroup.Policy) throws {
    for cache in [low, middle] { try seed(cache) }
    let found = group(policy).memoryEntry(for: key)?.record.generation
    switch policy {
    case .serial, .concurrent: #expect(found == generation("middle"))
    case .highestOnly: #expect(found == nil)
    case .lowestOnly: #expect(found == generation("low"))
    }
    #expect(low.calls.isEmpty == (policy != .lowestOnly))
  }

  @Test func aSerialQueryEndsAtTheFirstHit() async throws {
    try seed(middle)
    _ = try await group(.serial).query(key, in: .disk)
    #expect(high.calls == [.query(key, .disk)])
    #expect(middle.calls == [.query(key, .disk)])
    #expect(low.calls.isEmpty)
  }

  @Test func aSerialQueryAsksOnAfterAFailure() async throws {
    high.fail(.query, with: Failure(name: "high"))
    try seed(low)
    let hit = try await group(.serial).query(key, in: .local)
    #expect(hit?.entry.record.generation == generation("low"))
  }

  @Test(arguments: [CacheGroup.Policy.serial, .concurrent])
  func aMissAmongFailuresIsAFailureWithEveryCause(policy: CacheGroup.Policy) async throws {
    high.fail(.query, with: Failure(name: "high"))
    low.fail(.query, with: Failure(name: "low"))
    let error = await #expect(throws: ImageError.self) { try await group(policy).query(key, in: .local) }
    #expect(error?.code == .cacheFailed)
    #expect(Set((error?.causes ?? []).compactMap { ($0 as? Failure)?.name }) == ["high", "low"])
    #expect(error?.subject == key.readable)
  }

  @Test func aConcurrentQueryEndsWithTheFirstHitAndCancelsTheOthers() async throws {
    try seed(low)
    try seed(high)
    let stubborn = StubbornCache()
    high.suspend(.query)
    let group = group(.concurrent).adding(stubborn)
    let hit = try await group.query(key, in: .disk)
    #expect(hit?.entry.record.generation == generation("low"))
    await stubborn.waitForCancellation()
    stubborn.gate.open()
  }

  @Test func aConcurrentQueryAsksEveryCacheAtOnce() async throws {
    for cache in all { cache.suspend(.query) }
    let running = Task { try await group(.concurrent).query(key, in: .local) }
    for cache in all { await cache.waitUntilSuspended(.query) }
    for cache in all { cache.resume(.query) }
    #expect(try await running.value == nil)
  }

  @Test func aCancelledConcurrentQueryEndsAtOnce() async throws {
    let stubborn = StubbornCache()
    var policies = CacheGroup.Policies()
    policies.query = .concurrent
    let group = CacheGroup([stubborn], policies: policies)
    let running = Task { try await group.query(key, in: .local) }
    await stubborn.gate.waitForWaiters()
    running.cancel()
    let error = await #expect(throws: ImageError.self) { try await running.value }
    #expect(error?.code == .cancelled)
    stubborn.gate.open()
  }

  // MARK: Contains, counting

  @Test(arguments: CacheGroup.Policy.allCases)
  func containsJoinsTheLayersOfTheCachesOfItsPolicy(policy: CacheGroup.Policy) async throws {
    high.seed(try .sample(), for: key, in: .memory)
    low.seed(try .sample(), for: key, in: .disk)
    let found = try await group(policy).contains(key, in: .local)
    switch policy {
    case .serial, .concurrent: #expect(found == .local)
    case .highestOnly: #expect(found == .memory)
    case .lowestOnly: #expect(found == .disk)
    }
  }

  @Test func containsAsksSeriallyOnlyUntilEveryLayerIsFound() async throws {
    low.fail(.contains, with: Failure(name: "low"))
    middle.seed(try .sample(), for: key)
    #expect(try await group(.serial).contains(key, in: .local) == .local)
    #expect(high.calls == [.contains(key, .local)])
    #expect(low.calls.isEmpty)
  }

  @Test func aFailureDoesNotHideThatTheOthersHaveEverything() async throws {
    high.fail(.contains, with: Failure(name: "high"))
    low.seed(try .sample(), for: key)
    #expect(try await group(.concurrent).contains(key, in: .local) == .local)
    await #expect(throws: ImageError.self) { try await group(.highestOnly).contains(key, in: .local) }
  }

  @Test func countsAndSizesAreSums() async throws {
    for cache in all { try seed(cache) }
    low.seed(try .sample(), for: CacheKey(original: "other"))
    #expect(try await group(.serial).count(in: .disk) == 4)
    let each = try await high.size(of: .memory)
    #expect(try await group(.serial).size(of: .memory) == 4 * each)
  }

  @Test(arguments: CacheGroup.Policy.allCases)
  func anEmptyGroupMisses(policy: CacheGroup.Policy) async throws {
    let empty = CacheGroup([], policies: group(policy).policies)
    for command in Command.allCases { try await run(command, on: empty) }
    #expect(empty.memoryEntry(for: key) == nil)
    #expect(try await empty.query(key, in: .local) == nil)
    #expect(try await empty.contains(key, in: .local) == [])
    #expect(try await empty.count(in: .local) == 0)
    #expect(try await empty.size(of: .local) == 0)
  }

  @Test func theUsualPoliciesLookDownKeepOnTopAndForgetEverywhere() {
    let policies = CacheGroup().policies
    #expect(policies.query == .serial)
    #expect(policies.store == .highestOnly)
    #expect(policies.renew == .concurrent)
    #expect(policies.remove == .concurrent)
    #expect(policies.contains == .serial)
    #expect(policies.clear == .concurrent)
    #expect(policies.trim == .concurrent)
  }

  private func seed(_ cache: RecordingCache) throws {
    cache.seed(try .sample(record: .sample(generation: generation(cache.name))), for: key)
  }

  private func generation(_ name: String) -> UInt64 {
    switch name {
    case "low": 1
    case "middle": 2
    default: 3
    }
  }

  @Test func inARaceMemoryWinsOverADiskThatAnswersFirst() async throws {
    low.seed(try .sample(), for: key, in: .memory)
    high.seed(try .sample(), for: key, in: .disk)
    // The query of `low` never ends, but its memory answers at once.
    low.suspend(.query)
    let group = group(.concurrent)
    #expect(try await group.query(key, in: .local)?.layer == .memory)
    #expect(try await group.query(key, in: .disk)?.layer == .disk)
    low.resume(.query)
  }
}
