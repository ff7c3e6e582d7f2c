import EaselCore
import EaselSupport

/// The tokens of the claims that this process holds; its stores use them to prove that they may store.
final class HeldTokens: Sendable {
  private let tokens = Locked<[FlightKey: String]>([:])

  func add(_ token: String, for key: FlightKey) { tokens.withLock { $0[key] = token } }

  func remove(_ token: String, for key: FlightKey) {
    tokens.withLock { tokens in
      if tokens[key] == token { tokens[key] = nil }
    }
  }

  /// The kind of claim under which an entry of this key is stored, with the token if this process holds the claim.
  func token(for key: CacheKey) -> (kind: FlightKey.Kind, token: String?) {
    let kind: FlightKey.Kind = key.isVariant ? .variant : .transfer
    return (kind, tokens.withLock { $0[FlightKey(kind, key)] })
  }
}
