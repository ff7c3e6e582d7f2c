import EaselCore

/// A decryptor that combines each byte with a key, which both encrypts and decrypts.
public final class XORDecryptor: Decryptor {
  private struct State {
    var count = 0
    var failure: (any Error)?
  }

  /// Where each call waits, open unless a test closes it.
  public let gate = AsyncGate(isOpen: true)
  private let key: UInt8
  private let hasIdentity: Bool
  private let state: Watched<State>

  /// Creates a decryptor, which may be one that fails or one that has no identity.
  public init(key: UInt8, hasIdentity: Bool = true, failure: (any Error)? = nil) {
    self.key = key
    self.hasIdentity = hasIdentity
    state = Watched(State(failure: failure))
  }

  /// How often it was called.
  public var count: Int { state.withLock { $0.count } }

  /// Names the key.
  public var cacheIdentity: String? { hasIdentity ? "xor:\(key)" : nil }

  /// What a server would send.
  public func encrypt(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 ^ key } }

  /// What the picture's bytes are.
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
