import CEaselCurl
import EaselCore
import Glibc

/// The head of a response, read from its lines.
struct ResponseLines {
  let status: Int
  private(set) var headers = HTTPHeaders()
  /// How the body is packed, in the order of packing; nil where it is not.
  private(set) var packing: String?
  private var statedLength: Int?
  private var transferCoding: String?
  /// Why nobody can tell for sure where the body ends; nil where that is clear.
  private(set) var framingFault: FramingFault?
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

  enum FramingFault {
    /// A length is stated that is none, or is not the only one.
    case length
    /// A transfer coding is stated that is not the one which everybody reads alike.
    case transferCoding
    /// A field that says where the body ends is written so that not everybody knows it as what it is.
    case spelling
  }

  var isChunked: Bool { transferCoding == "chunked" }

  /// The length that the server states, packed or not, nil for a body that says itself where it ends.
  var announcedLength: Int? { isChunked ? nil : statedLength }

  /// The length of the body as it will be delivered; nil when it is not stated, or stated for the packed bytes.
  var length: Int? { packing == nil ? announcedLength : nil }

  /// Whether the end of the body is stated in two ways, as it is where somebody hides an answer in another.
  var hasTwoEnds: Bool { isChunked && statedLength != nil }

  /// Whether only the end of the connection says that the body is over.
  var endsWithConnection: Bool { announcedLength == nil && !isChunked }

  var isRedirect: Bool { hasLocation && [301, 302, 303, 307, 308].contains(status) }

  private mutating func add(_ field: easel_field) {
    let text = Self.isPlace(field) ? Self.reference(field) : Self.string(field.value, field.value_count)
    let value = field.is_folded ? Self.unfolded(text) : text
    headers.add(Self.string(field.name, field.name_count), value)
    note(field, value)
  }

  private mutating func note(_ field: easel_field, _ value: String) {
    func has(_ name: String) -> Bool { Self.has(field, name) }
    switch field.name_count {
    case 8 where has("location"): hasLocation = hasLocation || !value.isEmpty
    case 14 where has("content-length"):
      noteSpelling(of: field)
      noteLength(value)
    case 16 where has("content-encoding"):
      if !Unpacker.codings(in: value).isEmpty { packing = packing.map { "\($0), \(value)" } ?? value }
    case 17 where has("transfer-encoding"):
      noteSpelling(of: field)
      noteTransferCoding(value)
    default: break
    }
  }

  /// curl takes neither the lines of a folded value together nor a name with a blank behind it for that name.
  private mutating func noteSpelling(of field: easel_field) {
    if field.is_folded || field.has_gap { note(.spelling) }
  }

  // RFC 9112, 7.4: only who asks for others gets them. curl would undo them without a look at whether they came to their
  // end, and where chunks are not the last of them it does not tell what came behind the last chunk.
  private mutating func noteTransferCoding(_ value: String) {
    let coding = value.lowercased()
    guard transferCoding == nil, ["chunked", "identity"].contains(coding) else {
      return note(.transferCoding)
    }
    transferCoding = coding
  }

  /// RFC 9112, 6.3: several lengths are one when they are the same, and none when they are not.
  private mutating func noteLength(_ value: String) {
    for text in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = text.drop { $0 == 32 || $0 == 9 }.prefix { $0 != 32 && $0 != 9 }
      let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let isAlone = text[digits.endIndex...].allSatisfy { $0 == 32 || $0 == 9 }
      guard isNumber, isAlone, let length = Int(String(decoding: digits, as: UTF8.self)),
        statedLength == nil || statedLength == length
      else { return note(.length) }
      statedLength = length
    }
  }

  private mutating func note(_ fault: FramingFault) {
    if framingFault == nil { framingFault = fault }
  }

  private static func has(_ field: easel_field, _ name: String) -> Bool {
    field.name_count == name.utf8.count && strncasecmp(field.name, name, field.name_count) == 0
  }

  private static func isPlace(_ field: easel_field) -> Bool {
    has(field, "location") || has(field, "content-location")
  }

  /// A reference as it asks for the very bytes that the server wrote, which nobody can tell the characters of.
  private static func reference(_ field: easel_field) -> String {
    let bytes = UnsafeRawBufferPointer(start: field.value, count: field.value_count)
    if let text = unicode(bytes) { return text }
    return bytes.reduce(into: "") { text, byte in
      if byte < 128 {
        text.unicodeScalars.append(UnicodeScalar(byte))
      } else {
        text += "%" + String(byte, radix: 16, uppercase: true)
      }
    }
  }

  private static func string(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if let text = unicode(bytes) { return text }
    // RFC 9110, 5.5: then it is Latin-1, in which each byte is a character, and different bytes stay different.
    return String(String.UnicodeScalarView(bytes.lazy.map { UnicodeScalar($0) }))
  }

  private static func unicode(_ bytes: UnsafeRawBufferPointer) -> String? {
    // Validating costs ten times as much, and nearly every field is ASCII.
    if bytes.allSatisfy({ $0 < 128 }) { return String(decoding: bytes, as: UTF8.self) }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func unfolded(_ value: String) -> String {
    func isBlank(_ byte: UInt8) -> Bool { [9, 13, 32].contains(byte) }
    let lines = value.utf8.split(separator: 10).map { line in
      String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }
    return lines.filter { !$0.isEmpty }.joined(separator: " ")
  }
}
