import EaselCore

/// The names of all values for a key; the names of one original are in one slot of a cluster.
struct RedisNames: Sendable {
  /// The mark of the original.
  let mark: String
  /// The entry.
  let entry: String
  /// The digest of the key, which is also in the entry.
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

  /// The channel for the messages about ends of claims.
  var channel: String { start + ":c" }

  /// The name of the claim for a kind of work on the key.
  func claim(of kind: FlightKey.Kind) -> String { "\(start):l:\(kind.rawValue):\(digest)" }
}
