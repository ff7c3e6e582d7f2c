import EaselCore
import EaselTestSupport
import FoundationEssentials

/// A disk store that breaks one rule.
final class FlawedDiskStore: DiskStore {
  private let flaw: DiskStoreContract.Rule
  private let base = RecordingDiskStore()

  init(_ flaw: DiskStoreContract.Rule) { self.flaw = flaw }

  private func spelled(_ key: CacheKey) -> CacheKey {
    // Keys that differ only in case share an entry.
    flaw == .keysAreApart ? CacheKey(original: key.original.lowercased(), suffixes: key.suffixes) : key
  }

  func entry(for key: CacheKey) throws -> CacheEntry? {
    if flaw == .ends { blockForever() }
    let found = try base.entry(for: spelled(key))
    guard let found else { return flaw == .unknownIsNil ? CacheEntry(record: .sample()) : nil }
    switch flaw {
    case .bytesAreIdentical:
      let bytes = try found.bytes?.withUnsafeBytes { [UInt8]($0.prefix(4096)) } ?? []
      return CacheEntry(bytes: ImageBytes(bytes), record: found.record)
    case .recordIsIdentical:
      var record = found.record
      if record.extendedData?.isEmpty == true { record.extendedData = nil }
      return found.with(record)
    default: return found
    }
  }

  func store(_ entry: CacheEntry, for key: CacheKey) throws {
    if flaw == .replaces, try base.contains(key) { return }
    if flaw == .isSafeForManyThreads, try base.count() >= 50 { return }
    try base.store(entry, for: spelled(key))
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) throws {
    let before = base.entries
    let originals = flaw == .renewsAllOfAnOriginal ? Array(before.keys) : [key]
    for key in originals { try base.renew(response, ofOriginal: key, generation: generation) }
    guard flaw == .forgetsOtherGenerations else { return }
    for (key, entry) in before where try !base.contains(key) { try base.store(entry, for: key) }
  }

  func remove(_ key: CacheKey) throws {
    if flaw == .removesOne, try !base.contains(key) { throw SystemError(code: 2) }
    try base.remove(spelled(key))
  }

  func contains(_ key: CacheKey) throws -> Bool {
    try flaw == .containsTellsTheTruth ? false : base.contains(spelled(key))
  }

  func removeAll() throws { if flaw != .removesAll { try base.removeAll() } }

  func trim() throws { if flaw == .trimKeepsWhatIsFresh { try base.removeAll() } }

  func count() throws -> Int { try base.count() }

  func totalSize() throws -> Int { flaw == .countsWhatItKeeps ? 1 : try base.totalSize() }
}
