import EaselCore
import FoundationEssentials

/// The rules of every shared store.
public struct SharedStoreContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// Bytes of any length are found unchanged.
    case bytesAreIdentical
    /// Every part of the record is found unchanged.
    case recordIsIdentical
    /// A key that was never stored has no entry.
    case unknownIsNil
    /// Keys that differ in original, scope or suffixes have separate entries, even if their texts look alike.
    case keysAreApart
    /// A new entry replaces the old one.
    case replaces
    /// Older bytes of an original never replace newer ones.
    case olderNeverReplaces
    /// `contains` tells the truth.
    case containsTellsTheTruth
    /// Removing one entry leaves the others; removing a missing entry is not an error.
    case removesOne
    /// All entries can be removed.
    case removesAll
    /// A renewal reaches the original and all its variants, and nothing else.
    case renewsAllOfAnOriginal
    /// What was made from other bytes is not found any more.
    case forgetsOtherGenerations
    /// A response that is older than the known one renews nothing.
    case olderNeverRenews
    /// Count and size match the entries, or are unknown.
    case countsOrDoesNotKnow
    /// Nothing is lost when many tasks store at the same time.
    case isSafeForManyTasks
    /// Another connection finds the entries.
    case isSeenByOthers
    /// Every call returns.
    case ends
  }

  private typealias Check = @Sendable (Findings<Rule>) async throws -> Void

  private let makeStore: @Sendable () async throws -> any SharedStore
  private let connect: (@Sendable (any SharedStore) async throws -> any SharedStore)?
  private let largestBody: Int
  private let patience: Duration

  /// Creates the suite: `makeStore` makes an empty store, and `connect` connects to the same engine once more.
  ///
  /// `largestBody` is the largest number of bytes that the engine takes, as far as the suite needs to know.
  public init(
    largestBody: Int = 1_200_000, patience: Duration = .ofContracts,
    connect: (@Sendable (any SharedStore) async throws -> any SharedStore)? = nil,
    makeStore: @escaping @Sendable () async throws -> any SharedStore
  ) {
    self.makeStore = makeStore
    self.connect = connect
    self.largestBody = largestBody
    self.patience = patience
  }

  /// Returns the rules that the store breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for (name, rule, check) in checks {
      await steps.run(name) { await findings.attempt(rule, name) { try await check(findings) } }
    }
    return findings.violations
  }

  private var checks: [(String, Rule, Check)] {
    [
      ("Storing bytes", .bytesAreIdentical, checkBytes), ("Storing records", .recordIsIdentical, checkRecords),
      ("Storing under many keys", .keysAreApart, checkKeys), ("Replacing", .replaces, checkReplacing),
      ("Forgetting", .removesOne, checkForgetting), ("Renewing", .renewsAllOfAnOriginal, checkRenewal),
      ("Renewing late", .olderNeverRenews, checkLateRenewal), ("Counting", .countsOrDoesNotKnow, checkCounting),
      ("Storing in many tasks", .isSafeForManyTasks, checkTasks),
      ("Connecting again", .isSeenByOthers, checkConnecting),
    ]
  }

  private func checkBytes(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    let key = StoreSamples.key
    findings.require(try await store.entry(for: key) == nil, .unknownIsNil, "An empty store has an entry.")
    let isThere = try await store.contains(key)
    findings.require(!isThere, .containsTellsTheTruth, "An empty store says that it has an entry.")
    var random = SeededRandom(seed: 1)
    for count in [1, 2, 511, 4096, 70_000, 1_200_000] where count <= largestBody {
      let block = (0..<min(count, 4096)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var bytes: [UInt8] = []
      while bytes.count < count { bytes += block + [0] }
      bytes.removeLast(bytes.count - count)
      let entry = CacheEntry(bytes: ImageBytes(bytes), record: .sample())
      try await store.store(entry, for: key)
      let found = try await store.entry(for: key)
      findings.require(
        StoreSamples.haveEqualBytes(found, entry), .bytesAreIdentical,
        "\(count) bytes came back as \(found?.bytes?.count ?? 0) others.")
    }
    let isFound = try await store.contains(key)
    findings.require(isFound, .containsTellsTheTruth, "It says that an entry is not there which is.")
    let other = try await store.entry(for: StoreSamples.other)
    findings.require(other == nil, .unknownIsNil, "Another key has the entry.")
  }

  private func checkRecords(_ findings: Findings<Rule>) async throws {
    let stored = Date(timeIntervalSince1970: 1_000_000_000.125)
    var named = CacheRecord(stored: stored, generation: 1, mimeType: "image/png")
    named.keyDigest = CacheKey(original: "0").digest
    let records = [
      named, CacheRecord(stored: stored, generation: 0),
      CacheRecord(stored: stored, generation: .max, mimeType: "image/png"),
      CacheRecord(stored: stored, generation: 1, response: StoreSamples.response("\"a\"")),
      CacheRecord(stored: stored, generation: 1, extendedData: Data()),
      CacheRecord(stored: stored, generation: 1, mimeType: "", extendedData: Data([0, 255, 10, 0])),
      CacheRecord(
        stored: stored, generation: 1, mimeType: "image/webp", encodedSize: PixelSize(width: 1, height: 480)),
    ]
    for (number, record) in records.enumerated() {
      let store = try await makeStore()
      let key = CacheKey(original: "\(number)")
      try await store.store(CacheEntry(bytes: ImageBytes([1]), record: record), for: key)
      let found = try await store.entry(for: key)?.record
      findings.require(
        StoreSamples.isKept(found, of: record, under: key), .recordIsIdentical,
        "\(record) came back as \(found.map { "\($0)" } ?? "nil").")
    }
  }

  private func checkKeys(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    // Entries of one original must have the same generation to be found together.
    for (index, key) in StoreSamples.distinct.enumerated() {
      try await store.store(entry(of: 1, bytes: [UInt8(index)]), for: key)
    }
    for (index, key) in StoreSamples.distinct.enumerated() {
      let found = try await store.entry(for: key)
      findings.require(
        StoreSamples.haveEqualBytes(found, entry(of: 1, bytes: [UInt8(index)])), .keysAreApart,
        "\(key.readable.prefix(80)) gives another entry.")
    }
  }

  private func checkReplacing(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    let (key, variant) = (StoreSamples.key, StoreSamples.variant)
    try await store.store(entry(of: 1, at: 10, bytes: [1]), for: key)
    try await store.store(entry(of: 1, at: 10, bytes: [1, 1]), for: variant)
    try await store.store(entry(of: 2, at: 20, bytes: [2]), for: key)
    let second = try await store.entry(for: key)
    findings.require(
      second?.record.generation == 2 && StoreSamples.haveEqualBytes(second, entry(of: 2, bytes: [2])), .replaces,
      "The old entry, or a part of it, is still there.")
    let outdated = try await store.entry(for: variant)
    findings.require(outdated == nil, .forgetsOtherGenerations, "A variant of the old bytes is still found.")
    try await store.store(entry(of: 1, at: 10, bytes: [3]), for: key)
    try await store.store(entry(of: 1, at: 10, bytes: [3]), for: variant)
    let third = try await store.entry(for: key)
    findings.require(third?.record.generation == 2, .olderNeverReplaces, "Older bytes replaced newer ones.")
    let late = try await store.entry(for: variant)
    findings.require(late == nil, .olderNeverReplaces, "A variant of older bytes is found.")
  }

  private func checkForgetting(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    try await store.store(entry(of: 1, bytes: [1]), for: StoreSamples.key)
    try await store.store(entry(of: 1, bytes: [2]), for: StoreSamples.variant)
    try await store.remove(StoreSamples.other)
    try await store.remove(StoreSamples.key)
    let removed = try await store.entry(for: StoreSamples.key)
    findings.require(removed == nil, .removesOne, "A removed entry is still there.")
    let isThere = try await store.contains(StoreSamples.key)
    findings.require(!isThere, .removesOne, "A removed entry is said to be there.")
    let variant = try await store.entry(for: StoreSamples.variant)
    findings.require(variant != nil, .removesOne, "Another entry went with it.")
    try await store.removeAll()
    let left = try await store.entry(for: StoreSamples.variant)
    findings.require(left == nil, .removesAll, "An entry is still there.")
    try await store.store(entry(of: 3, bytes: [3]), for: StoreSamples.key)
    let new = try await store.entry(for: StoreSamples.key)
    findings.require(new != nil, .removesAll, "It keeps nothing any more.")
  }

  private func checkRenewal(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    let renewed = [StoreSamples.key, StoreSamples.variant]
    let untouched = [StoreSamples.other, StoreSamples.scoped, StoreSamples.scopedVariant]
    for key in renewed + untouched { try await store.store(entry(of: 7, bytes: [7]), for: key) }
    let response = StoreSamples.response("new")
    try await store.renew(response, ofOriginal: StoreSamples.key, generation: 7)
    try await store.renew(nil, ofOriginal: StoreSamples.key, generation: 7)
    for key in renewed {
      let found = try await store.entry(for: key)
      findings.require(found?.record.response == response, .renewsAllOfAnOriginal, "\(key) has its old record.")
      findings.require(
        found?.record.generation == 7 && StoreSamples.haveEqualBytes(found, entry(of: 7, bytes: [7])),
        .renewsAllOfAnOriginal, "\(key) lost more than its old record.")
    }
    for key in untouched {
      let found = try await store.entry(for: key)
      findings.require(
        found != nil && found?.record.response == nil, .renewsAllOfAnOriginal, "\(key) was renewed too.")
    }
    try await store.renew(nil, ofOriginal: StoreSamples.key, generation: 8)
    for key in renewed {
      let found = try await store.entry(for: key)
      findings.require(found == nil, .forgetsOtherGenerations, "\(key) was made of other bytes and is still there.")
    }
  }

  private func checkLateRenewal(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    let key = StoreSamples.key
    var new = StoreSamples.response("new")
    var old = StoreSamples.response("old")
    new.headers["Date"] = "Sun, 06 Nov 1994 08:50:00 GMT"
    old.headers["Date"] = "Sun, 06 Nov 1994 08:49:37 GMT"
    var record = CacheRecord.sample(generation: 2)
    record.response = new
    try await store.store(CacheEntry(bytes: ImageBytes([2]), record: record), for: key)
    try await store.renew(old, ofOriginal: key, generation: 1)
    let found = try await store.entry(for: key)
    findings.require(
      StoreSamples.isKept(found?.record, of: record, under: key), .olderNeverRenews,
      "A late renewal changed or removed what is newer.")
  }

  private func checkCounting(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    var size = 0
    for (index, key) in [StoreSamples.key, StoreSamples.other, StoreSamples.scoped].enumerated() {
      let bytes = [UInt8](repeating: 1, count: 100)
      size += bytes.count
      try await store.store(entry(of: 1, bytes: bytes), for: key)
      let (count, total) = (try await store.count(), try await store.totalSize())
      findings.require(
        count == nil || count == index + 1, .countsOrDoesNotKnow, "\(index + 1) entries count as \(count ?? 0).")
      findings.require(total ?? size >= size, .countsOrDoesNotKnow, "\(size) bytes count as \(total ?? 0).")
    }
  }

  private func checkTasks(_ findings: Findings<Rule>) async throws {
    let store = try await makeStore()
    let keys = (0..<100).map { CacheKey(original: "\($0)") }
    let shared = StoreSamples.key
    try await withThrowingTaskGroup(of: Void.self) { group in
      for key in keys {
        group.addTask {
          try await store.store(self.entry(of: 1, bytes: [1]), for: key)
          findings.noteAnswer()
          try await store.store(self.entry(of: 1, bytes: [2]), for: shared)
          findings.noteAnswer()
          _ = try await store.entry(for: key)
          findings.noteAnswer()
        }
      }
      try await group.waitForAll()
    }
    var missing = 0
    for key in keys + [shared] {
      if try await store.entry(for: key) == nil { missing += 1 }
      findings.noteAnswer()
    }
    findings.require(missing == 0, .isSafeForManyTasks, "\(missing) of 101 entries were lost.")
  }

  private func checkConnecting(_ findings: Findings<Rule>) async throws {
    guard let connect else { return }
    let store = try await makeStore()
    let other = try await connect(store)
    let stored = entry(of: 1, bytes: [1, 2, 3])
    try await store.store(stored, for: StoreSamples.scopedVariant)
    let found = try await other.entry(for: StoreSamples.scopedVariant)
    let isKept = StoreSamples.isKept(found?.record, of: stored.record, under: StoreSamples.scopedVariant)
    findings.require(
      isKept && StoreSamples.haveEqualBytes(found, stored), .isSeenByOthers,
      "What one connection stored the other does not find.")
    try await other.remove(StoreSamples.scopedVariant)
    let removed = try await store.entry(for: StoreSamples.scopedVariant)
    findings.require(removed == nil, .isSeenByOthers, "What one connection removed the other still finds.")
  }

  private func entry(of generation: UInt64, at seconds: Double = 0, bytes: [UInt8]) -> CacheEntry {
    let stored = Date(timeIntervalSince1970: 1_000_000_000 + seconds)
    return CacheEntry(bytes: ImageBytes(bytes), record: CacheRecord(stored: stored, generation: generation))
  }
}
