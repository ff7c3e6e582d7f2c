import CEaselCurl
import EaselCore
import Glibc

/// The head of a response, parsed from its lines.
struct ResponseLines {
  let status: Int
  private(set) var headers = HTTPHeaders()
  /// The content codings of the body, in the order in which they were applied; nil for none.
  private(set) var packing: String?
  private var statedLength: Int?
  private var transferCoding: String?
  /// The reason why the end of the body is ambiguous; nil when it is clear.
  private(set) var framingFault: FramingFault?
  private var hasLocation = false

  /// Returns nil when the first line contains no status.
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
    /// Content-Length is not a number, or several different lengths are stated.
    case length
    /// Transfer-Encoding names a coding that some programs read differently.
    case transferCoding
    /// A field that decides the end of the body is spelled so that some programs do not recognize it.
    case spelling
  }

  var isChunked: Bool { transferCoding == "chunked" }

  /// The stated length of the body as it is sent; nil for a chunked body, which marks its own end.
  var announcedLength: Int? { isChunked ? nil : statedLength }

  /// The length of the unpacked body; nil when it is not stated, or when only the packed length is.
  var length: Int? { packing == nil ? announcedLength : nil }

  /// True when the end of the body is stated in two ways, which can hide one response inside another.
  var hasTwoEnds: Bool { isChunked && statedLength != nil }

  /// True when only the end of the connection marks the end of the body.
  var endsWithConnection: Bool { announcedLength == nil && !isChunked }

  /// True when a body may follow this head; there is none after a HEAD request, or with status 204 or 304.
  func mayHaveBody(method: String) -> Bool { method != "HEAD" && status != 204 && status != 304 }

  var isRedirect: Bool { hasLocation && [301, 302, 303, 307, 308].contains(status) }

  private mutating func add(_ field: easel_field) {
    let text = Self.isReference(field) ? Self.reference(field) : Self.string(field.value, field.value_count)
    let value = field.is_folded ? Self.unfolded(text) : text
    headers.add(Self.string(field.name, field.name_count), value)
    noteField(field, value)
  }

  private mutating func noteField(_ field: easel_field, _ value: String) {
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

  /// curl does not recognize these fields when their value is folded, or when a blank is before the colon.
  private mutating func noteSpelling(of field: easel_field) {
    if field.is_folded || field.has_gap { noteFault(.spelling) }
  }

  // RFC 9112, 7.4: servers send other transfer codings only to clients that ask for them. curl would not notice that
  // such a body is incomplete. If "chunked" is not the last coding, curl also hides the bytes after the last chunk.
  private mutating func noteTransferCoding(_ value: String) {
    let coding = value.lowercased()
    guard transferCoding == nil, ["chunked", "identity"].contains(coding) else {
      return noteFault(.transferCoding)
    }
    transferCoding = coding
  }

  /// RFC 9112, 6.3: several equal lengths count as one; different lengths are an error.
  private mutating func noteLength(_ value: String) {
    for text in value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = text.drop { $0 == 32 || $0 == 9 }.prefix { $0 != 32 && $0 != 9 }
      let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      let isAlone = text[digits.endIndex...].allSatisfy { $0 == 32 || $0 == 9 }
      guard isNumber, isAlone, let length = Int(String(decoding: digits, as: UTF8.self)),
        statedLength == nil || statedLength == length
      else { return noteFault(.length) }
      statedLength = length
    }
  }

  private mutating func noteFault(_ fault: FramingFault) {
    if framingFault == nil { framingFault = fault }
  }

  private static func has(_ field: easel_field, _ name: String) -> Bool {
    field.name_count == name.utf8.count && strncasecmp(field.name, name, field.name_count) == 0
  }

  private static func isReference(_ field: easel_field) -> Bool {
    has(field, "location") || has(field, "content-location")
  }

  /// The reference with exactly the bytes that the server wrote.
  ///
  /// Bytes that are not UTF-8 have no known characters, so they are escaped.
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
    // RFC 9110, 5.5: other bytes are read as Latin-1, where each byte is a character, and different bytes stay
    // different.
    return String(String.UnicodeScalarView(bytes.lazy.map { UnicodeScalar($0) }))
  }

  private static func unicode(_ bytes: UnsafeRawBufferPointer) -> String? {
    // Validation takes ten times as long, and nearly every field is ASCII.
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
