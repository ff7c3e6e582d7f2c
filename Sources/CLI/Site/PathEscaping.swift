import EaselSupport

/// Escapes paths for addresses.
enum PathEscaping {
  /// The path with all bytes escaped that could mean something in an address or in a list of addresses.
  static func escaped(_ path: String) -> String {
    String(
      decoding: path.utf8.flatMap {
        PercentEscapes.isUnreserved($0) || $0 == UInt8(ascii: "/") ? [$0] : PercentEscapes.escape(of: $0)
      }, as: UTF8.self)
  }
}
