/// Computes keyed hashes (RFC 2104).
package enum HMAC {
  /// The keyed hash with SHA-256.
  package static func sha256(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] { code(key, message) { SHA256.hash($0) } }

  /// The keyed hash with a hash function whose blocks have 64 bytes.
  package static func code(_ key: [UInt8], _ message: [UInt8], _ hash: ([UInt8]) -> [UInt8]) -> [UInt8] {
    var block = key.count > 64 ? hash(key) : key
    block += [UInt8](repeating: 0, count: 64 - block.count)
    return hash(block.map { $0 ^ 0x5c } + hash(block.map { $0 ^ 0x36 } + message))
  }
}
