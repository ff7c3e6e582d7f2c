import CEaselService

/// Decrypts with AES in the mode CBC, as sources in URLs are encrypted.
struct AES: Sendable {
  private static let blockBytes = 16

  private let key: [UInt8]

  /// Creates a cipher from a key of 16, 24 or 32 bytes; nil for another length.
  init?(key: [UInt8]) {
    guard [16, 24, 32].contains(key.count) else { return nil }
    self.key = key
  }

  /// The bytes of a message whose first block is the start value; nil if it is none.
  func decrypted(_ message: [UInt8]) -> [UInt8]? {
    guard message.count >= 2 * Self.blockBytes, message.count.isMultiple(of: Self.blockBytes) else { return nil }
    let start = Array(message.prefix(Self.blockBytes))
    let encrypted = Array(message.dropFirst(Self.blockBytes))
    var count = -1
    let plain = [UInt8](unsafeUninitializedCapacity: encrypted.count) { plain, written in
      count = easel_decrypt_aes_cbc(key, key.count, start, encrypted, encrypted.count, plain.baseAddress)
      written = max(0, count)
    }
    return count < 0 ? nil : plain
  }
}
