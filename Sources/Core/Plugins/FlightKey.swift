/// The name of work that one process of several should do.
///
/// A process that holds a claim of ``Kind/variant`` may wait for a claim of ``Kind/transfer``, and never the reverse.
public struct FlightKey: Hashable, Sendable {
  /// The kinds of work.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The transfer of an original.
    case transfer
    /// The making of an encoded variant: its transfer, its decode and its encode.
    case variant
  }

  /// The kind of the work.
  public let kind: Kind
  /// The key under which the result is stored in the shared store.
  public let key: CacheKey

  /// Names a piece of work that one of several processes does for all.
  public init(_ kind: Kind, _ key: CacheKey) {
    self.kind = kind
    self.key = key
  }
}

extension FlightKey {
  /// The answer to a claim.
  public enum Answer: Sendable {
    /// The caller does the work, and must end the claim.
    case yours(any FlightClaim)
    /// Another process has just stored this entry.
    case ready(CacheEntry)
    /// Another process has found that there is no such picture.
    case failed(ImageError)
    /// The caller does the work without a claim, because it has waited long enough or because nobody can be asked.
    case goAhead
  }
}

extension FlightKey {
  /// The outcome of claimed work.
  public enum Result: Sendable {
    /// The entry is in the shared store under the key of the claim.
    case stored
    /// The picture itself is to blame, so that everybody who waits gets this error too.
    case failed(ImageError)
    /// There is no result, and this says nothing about the picture: the next one who waits does the work.
    case abandoned
  }
}
