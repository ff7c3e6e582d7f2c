/// Reads the replies of an engine from the bytes that arrive.
///
/// It refuses a reply that exceeds its limits before it takes memory for the reply. After it has thrown, the connection
/// ends.
package protocol WireParser: SendableMetatype {
  associatedtype Reply: Sendable

  /// Takes the next bytes, at most 64 KiB.
  mutating func feed(_ bytes: UnsafeRawBufferPointer) throws(WireError)

  /// Returns the next complete reply; nil until more bytes arrive.
  mutating func next() throws(WireError) -> Reply?
}
