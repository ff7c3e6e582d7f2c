/// The name of work that only one of several processes should do.
///
/// A process that holds a claim of ``Kind/variant`` may wait for a claim of ``Kind/transfer``, but not the other way
/// round.
public struct FlightKey: Hashable, Sendable {
  /// The kinds of work.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The transfer of an original.
    case transfer
    /// All work for an encoded variant: transferring the original, decoding and encoding it.
    case variant
  }

  /// The kind of the work.
  public let kind: Kind
  /// The key under which the result is stored in the shared store.
  public let key: CacheKey

  /// Creates the key of work of a kind, whose result is stored under `key`.
  public init(_ kind: Kind, _ key: CacheKey) {
    self.kind = kind
    self.key = key
  }
}

extension FlightKey {
  /// The answer to a claim.
  public enum Answer: Sendable {
    /// The caller does the work, and must end this claim.
    case yours(any FlightClaim)
    /// Another process has just stored this entry.
    case ready(CacheEntry)
    /// Another process has found that there is no such picture.
    case failed(ImageError)
    /// The caller does the work without a claim, because it waited long enough or could not ask.
    case goAhead
  }
}

extension FlightKey {
  /// The outcome of work that was claimed.
  public enum Result: Sendable {
    /// The entry is in the shared store under the key of the claim.
    case stored
    /// The picture itself causes the error, so everyone who waits gets it too.
    case failed(ImageError)
    /// There is no result, but the picture may be fine: the next process that waits does the work.
    case abandoned
  }
}
