import EaselCore

/// The head of the last request of a step, in the form that curl sent.
struct SentRequestHead {
  private static let end = Array("\r\n\r\n".utf8)

  private var bytes: [UInt8] = []

  /// Adds a part of a head.
  ///
  /// A part after a complete head begins a new head.
  mutating func add(_ part: UnsafeRawBufferPointer) {
    if bytes.suffix(Self.end.count).elementsEqual(Self.end) { bytes.removeAll(keepingCapacity: true) }
    bytes += part
  }

  /// The cookies that were sent, including those from the jar.
  var cookies: HTTPHeaders {
    var cookies = HTTPHeaders()
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let name = "cookie:"
      guard String(decoding: line.prefix(name.utf8.count), as: UTF8.self).lowercased() == name else { continue }
      let value = line.dropFirst(name.utf8.count).drop { $0 == UInt8(ascii: " ") }
      cookies.add("Cookie", String(decoding: value, as: UTF8.self))
    }
    return cookies
  }
}
