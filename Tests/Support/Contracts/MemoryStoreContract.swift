import EaselCore

/// The rules of every memory store.
public struct MemoryStoreContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// A stored entry is found again: picture, bytes and record.
    case keepsEntries
    /// A key that was never stored has no entry.
    case unknownIsNil
    /// Keys that differ in original, scope or suffixes have separate entries.
    case keysAreApart
    /// A new entry replaces the old one.
    case replaces
    /// `contains` tells the truth.
    case containsTellsTheTruth
    /// Removing one entry leaves the others.
    case removesOne
    /// All entries can be removed.
    case removesAll
    /// A renewal reaches the original and all its variants, and nothing else.
    case renewsAllOfAnOriginal
    /// A renewal removes entries made from other bytes of the original; without a record it changes nothing else.
    case forgetsOtherGenerations
    /// Count and cost match the entries.
    case countsWhatItKeeps
    /// Trimming removes nothing that is fresh and within the limits.
    case trimKeepsWhatIsFresh
    /// Nothing is lost when many threads store at the same time.
    case isSafeForManyThreads
    /// Entries in use stay longer than unused ones.
    case useKeepsAnEntry
    /// `contains` does not count as use.
    case containsIsNoUse
    /// Every call returns.
    case ends
  }

  private let makeStore: @Sendable () -> any MemoryStore
  private let makeBounded: (@Sendable (_ countLimit: Int) -> any MemoryStore)?

  private let patience: Duration

  /// Creates the suite; stores without limits need no `makeBounded`, because their order of eviction cannot be checked.
  public init(
    makeBounded: (@Sendable (_ countLimit: Int) -> any MemoryStore)? = nil, patience: Duration = .ofContracts,
    makeStore: @escaping @Sendable () -> any MemoryStore
  ) {
    self.makeStore = makeStore
    self.makeBounded = makeBounded
    self.patience = patience
  }

  /// Returns the rules that the store breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    await steps.onThread("Keeping entries") { checkKeeping(findings) }
    await steps.onThread("Forgetting entries") { checkForgetting(findings) }
    await steps.onThread("Renewing records") { checkRenewal(findings) }
    await steps.onThread("Counting entries") { checkCounting(findings) }
    await steps.run("Storing on many threads") { await checkThreads(findings) }
    if let makeBounded { await steps.onThread("Making room") { checkUse(findings, makeBounded) } }
    return findings.violations
  }

  private func checkKeeping(_ findings: Findings<Rule>) {
    let store = makeStore()
    let key = StoreSamples.key
    findings.require(store.entry(for: key) == nil, .unknownIsNil, "An empty store has an entry.")
    findings.require(!store.contains(key), .containsTellsTheTruth, "An empty store says that it has an entry.")
    let entry = StoreSamples.entry(1)
    store.store(entry, for: key)
    let found = store.entry(for: key)
    findings.require(found?.image?.bitmap == entry.image?.bitmap, .keepsEntries, "The picture is not the same.")
    findings.require(StoreSamples.haveEqualBytes(found, entry), .keepsEntries, "The bytes are not the same.")
    findings.require(
      StoreSamples.isKept(found?.record, of: entry.record, under: key), .keepsEntries, "The record is not the same.")
    findings.require(store.contains(key), .containsTellsTheTruth, "It says that an entry is not there which is.")
    findings.require(store.entry(for: StoreSamples.other) == nil, .unknownIsNil, "Another key has the entry.")

    store.store(StoreSamples.entry(2), for: key)
    findings.require(store.entry(for: key)?.record.generation == 2, .replaces, "The old entry is still there.")
    findings.require(store.count == 1, .replaces, "Two entries under one key make a count of \(store.count).")

    let apart = makeStore()
    for (index, key) in StoreSamples.distinct.enumerated() { apart.store(StoreSamples.entry(UInt64(index)), for: key) }
    for (index, key) in StoreSamples.distinct.enumerated() {
      let generation = apart.entry(for: key)?.record.generation
      findings.require(
        generation == UInt64(index), .keysAreApart, "\(key.readable.prefix(80)) gives entry \(generation ?? .max).")
    }
  }

  private func checkForgetting(_ findings: Findings<Rule>) {
    let store = makeStore()
    store.store(StoreSamples.entry(1), for: StoreSamples.key)
    store.store(StoreSamples.entry(2), for: StoreSamples.variant)
    store.remove(StoreSamples.other)
    store.remove(StoreSamples.key)
    findings.require(store.entry(for: StoreSamples.key) == nil, .removesOne, "A removed entry is still there.")
    findings.require(!store.contains(StoreSamples.key), .removesOne, "A removed entry is said to be there.")
    findings.require(store.entry(for: StoreSamples.variant) != nil, .removesOne, "Another entry went with it.")
    store.removeAll()
    findings.require(store.entry(for: StoreSamples.variant) == nil, .removesAll, "An entry is still there.")
    findings.require(store.count == 0, .removesAll, "\(store.count) entries are left.")
  }

  private func checkRenewal(_ findings: Findings<Rule>) {
    let store = makeStore()
    let renewed = [StoreSamples.key, StoreSamples.variant]
    let untouched = [StoreSamples.other, StoreSamples.scoped, StoreSamples.scopedVariant]
    for key in renewed + untouched { store.store(StoreSamples.entry(7), for: key) }
    store.store(StoreSamples.entry(8), for: StoreSamples.thumbnail)
    let response = StoreSamples.response("new")
    store.renew(response, ofOriginal: StoreSamples.key, generation: 7)
    store.renew(nil, ofOriginal: StoreSamples.key, generation: 7)
    for key in renewed {
      let entry = store.entry(for: key)
      findings.require(entry?.record.response == response, .renewsAllOfAnOriginal, "\(key) has its old record.")
      findings.require(
        entry?.record.generation == 7 && entry?.image != nil && entry?.bytes != nil,
        .renewsAllOfAnOriginal, "\(key) lost more than its old record.")
    }
    findings.require(
      store.entry(for: StoreSamples.thumbnail) == nil, .forgetsOtherGenerations,
      "What was made of other bytes is still there.")
    for key in untouched {
      findings.require(
        store.entry(for: key)?.record.response == nil, .renewsAllOfAnOriginal, "\(key) was renewed too.")
    }
    let (renewedKey, lookalike) = StoreSamples.lookalikes
    store.store(StoreSamples.entry(7), for: renewedKey)
    store.store(StoreSamples.entry(7), for: lookalike)
    store.renew(response, ofOriginal: renewedKey, generation: 8)
    findings.require(
      store.contains(lookalike), .renewsAllOfAnOriginal, "Another original that only looks the same was renewed too.")
  }

  private func checkCounting(_ findings: Findings<Rule>) {
    let store = makeStore()
    var cost = 0
    for (index, key) in [StoreSamples.key, StoreSamples.other, StoreSamples.variant].enumerated() {
      let entry = StoreSamples.entry(UInt64(index))
      cost += entry.memoryCost
      store.store(entry, for: key)
      findings.require(store.count == index + 1, .countsWhatItKeeps, "\(index + 1) entries count as \(store.count).")
      findings.require(store.totalCost >= cost, .countsWhatItKeeps, "\(cost) bytes cost \(store.totalCost).")
    }
    store.trim()
    findings.require(store.count == 3, .trimKeepsWhatIsFresh, "Of 3 fresh entries \(store.count) are left.")
    store.remove(StoreSamples.key)
    store.remove(StoreSamples.other)
    store.remove(StoreSamples.variant)
    findings.require(store.count == 0, .countsWhatItKeeps, "Without entries the count is \(store.count).")
    findings.require(store.totalCost == 0, .countsWhatItKeeps, "Without entries the cost is \(store.totalCost).")
  }

  private func checkThreads(_ findings: Findings<Rule>) async {
    let store = makeStore()
    let entry = StoreSamples.entry(1)
    let keys = (0..<4).map { thread in (0..<100).map { CacheKey(original: "\(thread)/\($0)") } }
    await Waiting.onThreads(keys.count) { thread in
      for key in keys[thread] {
        store.store(entry, for: key)
        _ = store.entry(for: key)
        store.store(entry, for: StoreSamples.key)
      }
    }
    let missing = keys.joined().count { store.entry(for: $0) == nil }
    findings.require(missing == 0, .isSafeForManyThreads, "\(missing) of 400 entries were lost.")
    findings.require(store.count == 401, .isSafeForManyThreads, "401 entries count as \(store.count).")
  }

  private func checkUse(_ findings: Findings<Rule>, _ makeBounded: (Int) -> any MemoryStore) {
    let limit = 64
    for isUsed in [true, false] {
      let store = makeBounded(limit)
      store.store(StoreSamples.entry(1), for: StoreSamples.key)
      for index in 0..<8 * limit {
        store.store(StoreSamples.entry(2), for: CacheKey(original: "\(index)"))
        if isUsed { _ = store.entry(for: StoreSamples.key) } else { _ = store.contains(StoreSamples.key) }
      }
      let isThere = store.entry(for: StoreSamples.key) != nil
      if isUsed {
        findings.require(isThere, .useKeepsAnEntry, "An entry that was used all the time was let go of.")
      } else {
        findings.require(!isThere, .containsIsNoUse, "An entry that was only asked about outlived all others.")
      }
    }
  }
}
