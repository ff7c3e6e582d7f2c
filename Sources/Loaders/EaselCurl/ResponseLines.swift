import CEaselCurl
import EaselCore
import Glibc

/// The head of a response, read from its lines.
struct ResponseLines {
  let status: Int
  private(set) var headers = HTTPHeaders()
  /// What the server says that it sends, packed or not.
  private(set) var announcedLength: Int?
  /// How the body is packed; nil where it is not.
  private(set) var packing: String?
  private var isChunked = false
  private var hasLocation = false

  /// Nil when the first line states no status.
  init?(_ head: UnsafeBufferPointer<CChar>) {
    guard let start = head.baseAddress else { return nil }
    var place = 0
    status = Int(easel_head_status(start, head.count, &place))
    guard status >= 0 else { return nil }
    headers.reserveCapacity(12)
    var field = easel_field()
    while easel_head_next(start, head.count, &place, &field) { add(field) }
  }

  /// The length of the body as it will be delivered; nil when it is not stated, or stated for the packed bytes.
  var length: Int? { packing == nil && !isChunked ? announcedLength : nil }

  /// Whether only the end of the connection says that the body is over.
  var endsWithConnection: Bool { announcedLength == nil && !isChunked }

  var isRedirect: Bool { hasLocation && [301, 302, 303, 307, 308].contains(status) }

  private mutating func add(_ field: easel_field) {
    let text = Self.string(field.value, field.value_count)
    let value = field.is_folded ? Self.unfolded(text) : text
    headers.add(Self.string(field.name, field.name_count), value)
    note(field, value)
  }

  private mutating func note(_ field: easel_field, _ value: String) {
    func has(_ name: String) -> Bool { strncasecmp(field.name, name, field.name_count) == 0 }
    switch field.name_count {
    case 8 where has("location"): hasLocation = true
    case 14 where has("content-length"): if announcedLength == nil { announcedLength = Int(value) }
    case 16 where has("content-encoding"):
      if !value.isEmpty, !["identity", "none"].contains(value.lowercased()) {
        packing = packing.map { "\($0), \(value)" } ?? value
      }
    case 17 where has("transfer-encoding"): isChunked = true
    default: break
    }
  }

  private static func string(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private static func unfolded(_ value: String) -> String {
    func isBlank(_ byte: UInt8) -> Bool { [9, 13, 32].contains(byte) }
    let lines = value.utf8.split(separator: 10).map { line in
      String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }
    return lines.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
