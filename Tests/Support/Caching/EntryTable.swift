import EaselCore

/// The entries of a recording store.
struct EntryTable: Sendable {
  private(set) var entries: [CacheKey: CacheEntry] = [:]

  subscript(key: CacheKey) -> CacheEntry? {
    get { entries[key] }
    set { entries[key] = newValue }
  }

  var count: Int { entries.count }

  var cost: Int { entries.values.reduce(0) { $0 + $1.memoryCost } }

  mutating func removeAll() { entries = [:] }

  mutating func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) {
    let original = key.originalKey
    for (key, entry) in entries where key.originalKey == original {
      guard entry.record.generation == generation else {
        entries[key] = nil
        continue
      }
      guard let response else { continue }
      var record = entry.record
      record.response = response
      entries[key] = entry.with(record)
    }
  }
}
