/// A table of limited size, whose values expire.
package struct ExpiringTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry {
    let value: Value
    let expiry: Duration
  }

  private let capacity: Int
  private var entries: [Key: Entry] = [:]

  package init(capacity: Int) { self.capacity = capacity }

  package var count: Int { entries.count }

  /// The value of a key; nil if it has expired.
  package mutating func value(of key: Key, at now: Duration) -> Value? {
    guard let entry = entries[key] else { return nil }
    guard entry.expiry <= now else { return entry.value }
    entries[key] = nil
    return nil
  }

  package mutating func insert(_ value: Value, for key: Key, until expiry: Duration, at now: Duration) {
    guard capacity > 0 else { return }
    if entries[key] == nil, entries.count >= capacity { makeRoom(at: now) }
    entries[key] = Entry(value: value, expiry: expiry)
  }

  package mutating func remove(_ key: Key) { entries[key] = nil }

  package mutating func removeAll() { entries = [:] }

  private mutating func makeRoom(at now: Duration) {
    entries = entries.filter { $0.value.expiry > now }
    // Half of the table is dropped at once, so that a flood of new keys does not make it sort each time.
    guard entries.count >= capacity else { return }
    let kept = entries.sorted { $0.value.expiry > $1.value.expiry }.prefix(capacity / 2)
    entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
  }
}
