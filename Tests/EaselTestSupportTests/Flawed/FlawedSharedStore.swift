import EaselCore
import EaselSupport
import EaselTestSupport
import FoundationEssentials

/// A shared store that breaks one rule.
final class FlawedSharedStore: SharedStore {
  private let flaw: SharedStoreContract.Rule
  private let base = InMemorySharedStore()
  /// Everything that was ever stored, whatever its age.
  private let all = Locked<[CacheKey: CacheEntry]>([:])

  init(_ flaw: SharedStoreContract.Rule) { self.flaw = flaw }

  private func spelled(_ key: CacheKey) -> CacheKey {
    // Keys that differ only in case share an entry.
    flaw == .keysAreApart ? CacheKey(original: key.original.lowercased(), suffixes: key.suffixes) : key
  }

  func entry(for key: CacheKey) async throws -> CacheEntry? {
    if flaw == .ends { await Task { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }.value }
    switch flaw {
    case .olderNeverReplaces, .forgetsOtherGenerations, .olderNeverRenews:
      return all.withLock { $0[key] }
    default: break
    }
    guard let found = try await base.entry(for: spelled(key)) else {
      return flaw == .unknownIsNil ? CacheEntry(record: .sample()) : nil
    }
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

  func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    if flaw == .replaces, try await base.contains(key) { return }
    let count = all.withLock { all in
      all[key] = CacheEntry(bytes: entry.bytes, record: entry.record)
      return all.count
    }
    if flaw == .isSafeForManyTasks, count > 50 { return }
    try await base.store(entry, for: spelled(key))
  }

  func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    all.withLock { all in
      for (other, entry) in all where flaw == .olderNeverRenews && other.originalKey == key.originalKey {
        guard let response else { continue }
        var record = entry.record
        record.response = response
        all[other] = entry.with(record)
      }
    }
    let originals = flaw == .renewsAllOfAnOriginal ? Array(base.entries.keys) : [key]
    for key in originals { try await base.renew(response, ofOriginal: key, generation: generation) }
  }

  func remove(_ key: CacheKey) async throws {
    if flaw == .removesOne, try await !base.contains(key) { throw SystemError(code: 2) }
    all.withLock { $0[key] = nil }
    try await base.remove(spelled(key))
  }

  func contains(_ key: CacheKey) async throws -> Bool {
    try await flaw == .containsTellsTheTruth ? false : base.contains(spelled(key))
  }

  func removeAll() async throws {
    guard flaw != .removesAll else { return }
    all.withLock { $0 = [:] }
    try await base.removeAll()
  }

  func count() async throws -> Int? { try await flaw == .countsOrDoesNotKnow ? 7 : base.count() }

  func totalSize() async throws -> Int? { try await base.totalSize() }
}
