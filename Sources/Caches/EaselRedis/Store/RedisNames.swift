import EaselCore

/// The names of what is stored for a key; those of one original have one slot in a cluster.
struct RedisNames: Sendable {
  /// The mark of the original.
  let mark: String
  /// The entry.
  let entry: String
  /// The digest of the key, which the entry has too.
  let digest: String
  /// The digest of the key in records.
  let keyDigest: UInt64
  private let start: String

  init(_ key: CacheKey, prefix: String) {
    let names = key.diskNames
    digest = names.own
    keyDigest = key.digest
    start = "\(prefix):{\(names.original)}"
    mark = start + ":m"
    entry = key.isVariant ? "\(start):v:\(digest)" : start + ":o"
  }

  /// The channel on which the ends of claims are told.
  var channel: String { start + ":c" }

  /// The name of the claim of some work on the key.
  func claim(of kind: FlightKey.Kind) -> String { "\(start):l:\(kind.rawValue):\(digest)" }
}
