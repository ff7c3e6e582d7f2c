import EaselWire
import FoundationEssentials

/// A reply to one of memcached's meta commands.
struct MemcachedReply: Sendable {
  /// Two letters, such as `VA` for a value, `HD` for success and `EN` for no entry.
  let code: String
  /// The flags, such as `k` followed by the key.
  let flags: [Substring]
  let value: [UInt8]?

  func has(_ flag: Character) -> Bool { flags.contains { $0.first == flag } }

  /// The text after a flag.
  subscript(flag: Character) -> String? { flags.first { $0.first == flag }.map { String($0.dropFirst()) } }
}
