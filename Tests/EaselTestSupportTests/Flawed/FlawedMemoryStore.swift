import EaselCore
import EaselSupport
import EaselTestSupport

/// A memory store that breaks one rule.
final class FlawedMemoryStore: MemoryStore {
  private let flaw: MemoryStoreContract.Rule
  private let base = RecordingMemoryStore()
  private let limit: Int
  private let ages = Locked<[CacheKey]>([])

  init(_ flaw: MemoryStoreContract.Rule, limit: Int = .max) {
    self.flaw = flaw
    self.limit = limit
  }

  private func spelled(_ key: CacheKey) -> CacheKey {
    flaw == .keysAreApart ? CacheKey(original: key.original, scope: key.scope) : key
  }

  private func touch(_ key: CacheKey) {
    ages.withLock { ages in
      ages.removeAll { $0 == key }
      ages.append(key)
    }
  }

  func entry(for key: CacheKey) -> CacheEntry? {
    if flaw == .ends { blockForever() }
    let entry = base.entry(for: spelled(key))
    if entry != nil, flaw != .useKeepsAnEntry { touch(spelled(key)) }
    if flaw == .unknownIsNil, entry == nil { return CacheEntry(record: .sample()) }
    if flaw == .keepsEntries, let entry { return CacheEntry(image: entry.image, record: entry.record) }
    return entry
  }

  func store(_ entry: CacheEntry, for key: CacheKey) {
    let key = spelled(key)
    if flaw == .replaces, base.contains(key) { return }
    if flaw == .isSafeForManyThreads, base.count >= 400 { return }
    base.store(entry, for: key)
    guard limit != .max else { return }
    touch(key)
    let oldest = ages.withLock { $0.count > limit ? $0.removeFirst() : nil }
    if let oldest { base.remove(oldest) }
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    if flaw != .renewsAllOfAnOriginal {
      let before = base.entries
      base.renew(response, ofOriginal: key, generation: generation)
      guard flaw == .forgetsOtherGenerations else { return }
      for (key, entry) in before where !base.contains(key) { base.store(entry, for: key) }
      return
    }
    guard let entry = base.entries[key] else { return }
    var record = entry.record
    record.response = response
    base.store(entry.with(record), for: key)
  }

  func remove(_ key: CacheKey) {
    if flaw == .removesOne { base.removeAll() } else { base.remove(spelled(key)) }
  }

  func contains(_ key: CacheKey) -> Bool {
    let isThere = base.contains(spelled(key))
    if isThere, flaw == .containsIsNoUse { touch(spelled(key)) }
    return flaw == .containsTellsTheTruth ? true : isThere
  }

  func removeAll() { if flaw != .removesAll { base.removeAll() } }

  func trim() { if flaw == .trimKeepsWhatIsFresh { base.removeAll() } }

  var count: Int { base.count }

  var totalCost: Int { flaw == .countsWhatItKeeps ? 1 : base.totalCost }
}
