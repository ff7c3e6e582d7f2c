import EaselCore
import FoundationEssentials

/// The rules of every disk store.
public struct DiskStoreContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// Bytes of any length are read back unchanged.
    case bytesAreIdentical
    /// Every part of the record is read back unchanged.
    case recordIsIdentical
    /// A key that was never stored has no entry.
    case unknownIsNil
    /// Keys that differ in original, scope or suffixes have separate entries, even if their texts look alike.
    case keysAreApart
    /// A new entry replaces the old one.
    case replaces
    /// `contains` tells the truth.
    case containsTellsTheTruth
    /// Removing one entry leaves the others; removing a missing entry is not an error.
    case removesOne
    /// All entries can be removed.
    case removesAll
    /// A renewal reaches the original and all its variants, and nothing else.
    case renewsAllOfAnOriginal
    /// A renewal removes entries made from other bytes of the original; without a record it changes nothing else.
    case forgetsOtherGenerations
    /// Count and size match the entries.
    case countsWhatItKeeps
    /// Trimming removes nothing that is fresh and within the limits.
    case trimKeepsWhatIsFresh
    /// Nothing is lost when many threads store at the same time.
    case isSafeForManyThreads
    /// Another store at the same place finds the entries.
    case outlivesTheStore
    /// Every call returns.
    case ends
  }

  private let makeStore: @Sendable () throws -> any DiskStore
  private let reopen: (@Sendable (any DiskStore) throws -> any DiskStore)?

  private let patience: Duration

  /// Creates the suite: `makeStore` makes an empty store, and `reopen` opens another store at the same place.
  public init(
    reopen: (@Sendable (any DiskStore) throws -> any DiskStore)? = nil, patience: Duration = .ofContracts,
    makeStore: @escaping @Sendable () throws -> any DiskStore
  ) {
    self.makeStore = makeStore
    self.reopen = reopen
    self.patience = patience
  }

  /// Returns the rules that the store breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for (name, rule, check) in checks {
      await steps.onThread(name) { findings.attempt(rule, name) { try check(findings) } }
    }
    await steps.run("Storing on many threads") { await checkThreads(findings) }
    return findings.violations
  }

  private var checks: [(String, Rule, @Sendable (Findings<Rule>) throws -> Void)] {
    [
      ("Storing bytes", .bytesAreIdentical, checkBytes), ("Storing bytes of a file", .bytesAreIdentical, checkFile),
      ("Storing records", .recordIsIdentical, checkRecords), ("Replacing", .replaces, checkReplacing),
      ("Storing under many keys", .keysAreApart, checkKeys), ("Forgetting", .removesOne, checkForgetting),
      ("Renewing", .renewsAllOfAnOriginal, checkRenewal), ("Counting", .countsWhatItKeeps, checkCounting),
      ("Opening again", .outlivesTheStore, checkReopening),
    ]
  }

  private func checkFile(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try SampleFile.with(bytes) { file in
      try store.store(CacheEntry(bytes: file, record: .sample()), for: StoreSamples.key)
    }
    // The store must have copied the bytes, because the caller's file is deleted by now.
    let found = try store.entry(for: StoreSamples.key)
    findings.require(
      StoreSamples.haveEqualBytes(found, CacheEntry(bytes: ImageBytes(bytes), record: .sample())), .bytesAreIdentical,
      "Bytes of a file came back as \(found?.bytes?.count ?? 0) others once it was gone.")
  }

  private func checkBytes(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    let key = StoreSamples.key
    findings.require(try store.entry(for: key) == nil, .unknownIsNil, "An empty store has an entry.")
    findings.require(try !store.contains(key), .containsTellsTheTruth, "An empty store says that it has an entry.")
    var random = SeededRandom(seed: 1)
    for count in [1, 2, 511, 4096, 70_000, 1_200_000] {
      let block = (0..<min(count, 4096)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      // The pattern has an odd period, so that no two pages are alike.
      var bytes: [UInt8] = []
      while bytes.count < count { bytes += block + [0] }
      bytes.removeLast(bytes.count - count)
      let entry = CacheEntry(bytes: ImageBytes(bytes), record: .sample())
      try store.store(entry, for: key)
      let found = try store.entry(for: key)
      findings.require(
        StoreSamples.haveEqualBytes(found, entry), .bytesAreIdentical,
        "\(count) bytes came back as \(found?.bytes?.count ?? 0) others.")
    }
    findings.require(try store.contains(key), .containsTellsTheTruth, "It says that an entry is not there which is.")
    findings.require(try store.entry(for: StoreSamples.other) == nil, .unknownIsNil, "Another key has the entry.")
  }

  private func checkRecords(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    let stored = Date(timeIntervalSince1970: 1_000_000_000.125)
    var named = CacheRecord(stored: stored, generation: 1, encodedSize: PixelSize(width: 3, height: 4))
    named.keyDigest = StoreSamples.key.digest
    let records = [
      named, CacheRecord(stored: stored, generation: 0),
      CacheRecord(stored: stored, generation: .max, mimeType: "image/png"),
      CacheRecord(stored: stored, generation: 1, response: StoreSamples.response("\"a\"")),
      CacheRecord(stored: stored, generation: 1, extendedData: Data()),
      CacheRecord(stored: stored, generation: 1, mimeType: "", extendedData: Data([0, 255, 10, 0])),
      CacheRecord(stored: stored, generation: 1, picture: StoreSamples.picture),
      CacheRecord(stored: stored, generation: 1, encodedSize: PixelSize(width: 640, height: 1)),
      CacheRecord(
        stored: stored, generation: 1, mimeType: "image/webp", picture: StoreSamples.picture,
        encodedSize: PixelSize(width: 1, height: 480)),
    ]
    for record in records {
      try store.store(CacheEntry(bytes: ImageBytes([1]), record: record), for: StoreSamples.key)
      let found = try store.entry(for: StoreSamples.key)?.record
      findings.require(
        StoreSamples.isKept(found, of: record, under: StoreSamples.key), .recordIsIdentical,
        "\(record) came back as \(found.map { "\($0)" } ?? "nil").")
    }
  }

  private func checkReplacing(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    try store.store(StoreSamples.entry(1), for: StoreSamples.key)
    let second = StoreSamples.entry(2)
    try store.store(second, for: StoreSamples.key)
    let found = try store.entry(for: StoreSamples.key)
    findings.require(
      found?.record.generation == 2 && StoreSamples.haveEqualBytes(found, second), .replaces,
      "The old entry, or a part of it, is still there.")
    findings.require(try store.count() == 1, .replaces, "Two entries under one key count as two.")
  }

  private func checkKeys(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    for (index, key) in StoreSamples.distinct.enumerated() {
      try store.store(StoreSamples.entry(UInt64(index)), for: key)
    }
    for (index, key) in StoreSamples.distinct.enumerated() {
      let generation = try store.entry(for: key)?.record.generation
      findings.require(
        generation == UInt64(index), .keysAreApart, "\(key.readable.prefix(80)) gives entry \(generation ?? .max).")
    }
  }

  private func checkForgetting(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    try store.store(StoreSamples.entry(1), for: StoreSamples.key)
    try store.store(StoreSamples.entry(2), for: StoreSamples.variant)
    try store.remove(StoreSamples.other)
    try store.remove(StoreSamples.key)
    findings.require(try store.entry(for: StoreSamples.key) == nil, .removesOne, "A removed entry is still there.")
    findings.require(try !store.contains(StoreSamples.key), .removesOne, "A removed entry is said to be there.")
    findings.require(try store.entry(for: StoreSamples.variant) != nil, .removesOne, "Another entry went with it.")
    try store.removeAll()
    findings.require(try store.entry(for: StoreSamples.variant) == nil, .removesAll, "An entry is still there.")
    findings.require(try store.count() == 0, .removesAll, "Some entries are left.")
    try store.store(StoreSamples.entry(3), for: StoreSamples.key)
    findings.require(try store.entry(for: StoreSamples.key) != nil, .removesAll, "It keeps nothing any more.")
  }

  private func checkRenewal(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    let renewed = [StoreSamples.key, StoreSamples.variant]
    let untouched = [StoreSamples.other, StoreSamples.scoped, StoreSamples.scopedVariant]
    for key in renewed + untouched { try store.store(StoreSamples.entry(7), for: key) }
    try store.store(StoreSamples.entry(8), for: StoreSamples.thumbnail)
    let response = StoreSamples.response("new")
    try store.renew(response, ofOriginal: StoreSamples.key, generation: 7)
    try store.renew(nil, ofOriginal: StoreSamples.key, generation: 7)
    let outdated = try store.entry(for: StoreSamples.thumbnail)
    findings.require(outdated == nil, .forgetsOtherGenerations, "What was made of other bytes is still there.")
    for key in renewed {
      let entry = try store.entry(for: key)
      findings.require(entry?.record.response == response, .renewsAllOfAnOriginal, "\(key) has its old record.")
      findings.require(
        entry?.record.generation == 7 && StoreSamples.haveEqualBytes(entry, StoreSamples.entry(7)),
        .renewsAllOfAnOriginal, "\(key) lost more than its old record.")
    }
    for key in untouched {
      let isOld = try store.entry(for: key).map { $0.record.response == nil } ?? false
      findings.require(isOld, .renewsAllOfAnOriginal, "\(key) was renewed too.")
    }
    let (renewedKey, lookalike) = StoreSamples.lookalikes
    try store.store(StoreSamples.entry(7), for: renewedKey)
    try store.store(StoreSamples.entry(7), for: lookalike)
    try store.renew(response, ofOriginal: renewedKey, generation: 8)
    findings.require(
      try store.contains(lookalike), .renewsAllOfAnOriginal,
      "Another original that only looks the same was renewed too.")
  }

  private func checkCounting(_ findings: Findings<Rule>) throws {
    let store = try makeStore()
    var size = 0
    for (index, key) in [StoreSamples.key, StoreSamples.other, StoreSamples.variant].enumerated() {
      let entry = StoreSamples.entry(UInt64(index))
      size += entry.bytes?.count ?? 0
      try store.store(entry, for: key)
      let (count, total) = try (store.count(), store.totalSize())
      findings.require(count == index + 1, .countsWhatItKeeps, "\(index + 1) entries count as \(count).")
      findings.require(total >= size, .countsWhatItKeeps, "\(size) bytes count as \(total).")
    }
    try store.trim()
    let left = try store.count()
    findings.require(left == 3, .trimKeepsWhatIsFresh, "Of 3 fresh entries \(left) are left.")
    for key in [StoreSamples.key, StoreSamples.other, StoreSamples.variant] { try store.remove(key) }
    findings.require(try store.count() == 0, .countsWhatItKeeps, "Without entries the count is not zero.")
  }

  private func checkReopening(_ findings: Findings<Rule>) throws {
    guard let reopen else { return }
    let store = try makeStore()
    let entry = StoreSamples.entry(1)
    try store.store(entry, for: StoreSamples.scopedVariant)
    let found = try reopen(store).entry(for: StoreSamples.scopedVariant)
    let isKept = StoreSamples.isKept(found?.record, of: entry.record, under: StoreSamples.scopedVariant)
    findings.require(
      isKept && StoreSamples.haveEqualBytes(found, entry), .outlivesTheStore,
      "What one store kept the next does not find.")
  }

  private func checkThreads(_ findings: Findings<Rule>) async {
    guard let store = findings.attempt(.isSafeForManyThreads, "Opening", { try makeStore() }) else { return }
    let keys = (0..<4).map { thread in (0..<25).map { CacheKey(original: "\(thread)/\($0)") } }
    await Waiting.onThreads(keys.count) { thread in
      for (index, key) in keys[thread].enumerated() {
        findings.attempt(.isSafeForManyThreads, "Storing") {
          try store.store(StoreSamples.entry(UInt64(index)), for: key)
          try store.store(StoreSamples.entry(7), for: StoreSamples.key)
          _ = try store.entry(for: key)
        }
      }
    }
    await Waiting.onThread {
      findings.attempt(.isSafeForManyThreads, "Looking up") {
        let missing = try keys.joined().count { try store.entry(for: $0) == nil }
        findings.require(missing == 0, .isSafeForManyThreads, "\(missing) of 100 entries were lost.")
        let count = try store.count()
        findings.require(count == 101, .isSafeForManyThreads, "101 entries count as \(count).")
      }
    }
  }
}
