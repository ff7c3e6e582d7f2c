/// The newest purge of each source, prefix and tag, by its number.
///
/// Numbers grow from purge to purge. The number of a source is the highest of those that concern it, so each purge that
/// concerns a source raises its number, and nothing lowers it. It is a part of the keys of everything that is made of the
/// source: a purge changes these keys, and what was stored under the former ones, or will be, is not found any more.
package struct PurgeTable: Hashable, Sendable {
  /// The number of the newest purge; 0 if nothing was ever purged.
  package private(set) var latest: UInt64 = 0
  /// The number of the newest purge of a tag.
  package private(set) var latestTag: UInt64 = 0
  package private(set) var numbers: [Purge: UInt64] = [:]
  /// The number of prefixes of each length.
  private var prefixLengths: [Int: Int] = [:]

  package init() {}

  /// The number of a source with these tags; 0 if no purge concerns it.
  package func number(of source: String, tags: [String] = []) -> UInt64 {
    guard !numbers.isEmpty else { return 0 }
    var number = max(numbers[.everything] ?? 0, numbers[.source(source)] ?? 0)
    for tag in tags { number = max(number, numbers[.tag(tag)] ?? 0) }
    let bytes = source.utf8
    for length in prefixLengths.keys where length <= bytes.count {
      let prefix = String(decoding: bytes.prefix(length), as: UTF8.self)
      number = max(number, numbers[.sources(beginningWith: prefix)] ?? 0)
    }
    return number
  }

  /// The highest number of these tags.
  package func number(ofTags tags: [String]) -> UInt64 { tags.reduce(0) { max($0, numbers[.tag($1)] ?? 0) } }

  /// Notes a purge; the highest number counts.
  package mutating func note(_ purge: Purge, _ number: UInt64) {
    latest = max(latest, number)
    if case .tag = purge { latestTag = max(latestTag, number) }
    let known = numbers[purge]
    numbers[purge] = max(number, known ?? 0)
    if known == nil, case .sources(let prefix) = purge { prefixLengths[prefix.utf8.count, default: 0] += 1 }
  }

  /// Notes that there were purges up to these numbers.
  package mutating func note(latest: UInt64, latestTag: UInt64) {
    self.latest = max(self.latest, latest)
    self.latestTag = max(self.latestTag, latestTag)
  }

  private mutating func remove(_ purge: Purge) {
    guard numbers.removeValue(forKey: purge) != nil, case .sources(let prefix) = purge else { return }
    let length = prefix.utf8.count
    prefixLengths[length] = prefixLengths[length].flatMap { $0 > 1 ? $0 - 1 : nil }
  }

  /// The purges whose effect another table does not have.
  package func purges(notIn other: PurgeTable) -> [Purge: UInt64] {
    numbers.filter { purge, number in
      other.numbers[purge] != number && other.number(covering: purge) < number
    }
  }

  /// The highest number that concerns everything that a purge removes.
  private func number(covering purge: Purge) -> UInt64 {
    switch purge {
    case .source(let text), .sources(let text):
      // Of the prefixes, those of the text itself concern all that begins with it.
      max(number(of: text), numbers[purge] ?? 0)
    case .tag, .everything: max(numbers[purge] ?? 0, numbers[.everything] ?? 0)
    }
  }
}

// MARK: The bound

extension PurgeTable {
  /// Purges in place of which wider ones stand, so that a table keeps its bound.
  package struct Folding: Hashable, Sendable {
    package var removed: [Purge: UInt64] = [:]
    package var added: [Purge: UInt64] = [:]
  }

  /// The oldest purges folded into those of their folders, hosts, or of everything; nil if there are at most so many.
  ///
  /// A wider purge is always right: it removes more than was asked for, and nothing less.
  package func folding(to capacity: Int) -> Folding? {
    guard numbers.count > capacity else { return nil }
    let wanted = capacity - capacity / 10
    var rest = self
    while rest.numbers.count > max(1, wanted) {
      for (purge, number) in rest.oldest.prefix(rest.numbers.count - wanted) {
        rest.remove(purge)
        rest.note(purge.wider, number)
      }
    }
    return Folding(
      removed: numbers.filter { rest.numbers[$0.key] == nil },
      added: rest.numbers.filter { numbers[$0.key] != $0.value })
  }

  /// The purges in the order in which they are folded: sources first, because a wider prefix removes much more.
  private var oldest: [(key: Purge, value: UInt64)] {
    numbers.filter { $0.key != .everything }.sorted { one, other in
      (one.key.isSource ? 0 : 1, one.value, one.key.name) < (other.key.isSource ? 0 : 1, other.value, other.key.name)
    }
  }

  package mutating func apply(_ folding: Folding) {
    for (purge, number) in folding.added { note(purge, number) }
    for (purge, number) in folding.removed where numbers[purge] == number { remove(purge) }
  }
}
