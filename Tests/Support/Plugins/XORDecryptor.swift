import EaselCore

/// A decryptor that combines each byte with a key by XOR, which both encrypts and decrypts.
public final class XORDecryptor: Decryptor {
  private struct State {
    var count = 0
    var failure: (any Error)?
  }

  /// The gate of each call; open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let key: UInt8
  private let hasIdentity: Bool
  private let state: Watched<State>

  /// Creates a decryptor; with `failure` it fails, and without `hasIdentity` it has no name in cache keys.
  public init(key: UInt8, hasIdentity: Bool = true, failure: (any Error)? = nil) {
    self.key = key
    self.hasIdentity = hasIdentity
    state = Watched(State(failure: failure))
  }

  /// The number of calls.
  public var count: Int { state.withLock { $0.count } }

  /// Contains the key.
  public var cacheIdentity: CacheIdentity { hasIdentity ? .named("xor:\(key)") : .instance }

  /// Encrypts bytes, for the server's side.
  public func encrypt(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 ^ key } }

  /// Decrypts a body.
  public func decrypt(_ body: ImageBytes, head: ResponseHead) async throws -> ImageBytes {
    let failure = state.withLock { state in
      state.count += 1
      return state.failure
    }
    try await gate.pass()
    if let failure { throw failure }
    return ImageBytes(encrypt(try body.withUnsafeBytes { [UInt8]($0) }))
  }
}
