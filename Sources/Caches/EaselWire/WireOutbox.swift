/// The bytes that wait to be written; they are joined, so that many small requests make one packet.
struct WireOutbox {
  private var bytes: [UInt8] = []
  private var written = 0

  var count: Int { bytes.count - written }

  mutating func append(_ request: [UInt8]) { bytes += request }

  /// Puts bytes that could not be written before those that were added in the meantime.
  mutating func putBack(_ rest: WireOutbox) {
    var rest = rest
    guard rest.count > 0 else { return }
    rest.bytes += bytes[written...]
    self = rest
  }

  mutating func removeFirst(_ count: Int) { written += count }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[written...])) }
  }
}
