import EaselCore

/// The rules for the fields of a head, and what those fields said that decide about the connection.
struct FieldRules: Hashable, Sendable {
  private var hasHost = false
  private var hasLength = false
  private var hasBody = false
  private var wantsClose = false
  private var wantsKeepAlive = false
  private var hasUnknownExpectation = false
  /// True for a body in chunks, whose length nobody states.
  private var isChunked = false

  /// Adds the field of a line to the head.
  mutating func takeField(_ line: UnsafeRawBufferPointer, _ head: inout RequestHead) throws(HeadFault) {
    guard line[0] != 0x20, line[0] != 0x09 else {
      throw HeadFault(400, "A field is continued on a second line; it must be on one.")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw HeadFault(400, "A field has no colon.")
    }
    let name = line[..<colon]
    guard name.isToken else {
      throw HeadFault(400, "The name of a field is empty, or has a space or another forbidden character.")
    }
    let value = Self.trimmed(line[(colon + 1)...])
    guard let text = String(validating: value, as: UTF8.self) else {
      throw HeadFault(400, "The value of a field has bytes that are not UTF-8.")
    }
    try note(name, value)
    head.headers.add(String(decoding: name, as: UTF8.self), text)
  }

  /// Judges the head as a whole.
  func finish(_ head: inout RequestHead, _ limits: HeadLimits) throws(HeadFault) {
    guard hasHost || !head.isCurrentVersion else { throw HeadFault(400, "The field Host is missing.") }
    // In HTTP/1.0 there are no chunks, and beside a length they would hide where the body ends (RFC 9112 section 6.1).
    guard !isChunked || head.isCurrentVersion && !hasLength else {
      throw HeadFault(400, "Transfer-Encoding has no place beside Content-Length or in HTTP/1.0.")
    }
    guard !hasBody, !isChunked else { throw HeadFault(413, "A request must not have a body.") }
    guard limits.methods.contains(head.method) else {
      throw HeadFault(405, "The method must be one of: " + limits.methods.joined(separator: ", ") + ".")
    }
    // A target with a host is for proxies. It could name another host than the field, and the handler would have to
    // choose, so it is refused although RFC 9112 section 3.2.2 asks servers to accept it.
    guard head.target.utf8.first == UInt8(ascii: "/") || head.target == "*" && head.method == "OPTIONS" else {
      throw HeadFault(400, "The target must be a path that begins with a slash.")
    }
    guard !hasUnknownExpectation else { throw HeadFault(417, "The only expectation is 100-continue.") }
    head.keepsAlive = !wantsClose && (head.isCurrentVersion || wantsKeepAlive)
  }

  private mutating func note(_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>)
    throws(HeadFault)
  {
    switch name.count {
    case 4 where name.isText("host"): try noteHost(value)
    case 6 where name.isText("expect"): hasUnknownExpectation = hasUnknownExpectation || !value.isText("100-continue")
    case 10 where name.isText("connection"): noteConnection(value)
    case 14 where name.isText("content-length"): try noteLength(value)
    case 17 where name.isText("transfer-encoding"): try noteCoding(value)
    default: break
    }
  }

  private mutating func noteHost(_ value: Slice<UnsafeRawBufferPointer>) throws(HeadFault) {
    guard !hasHost else { throw HeadFault(400, "The field Host is there twice.") }
    guard value.allSatisfy(Self.isHostByte) else { throw HeadFault(400, "The field Host is not a name and a port.") }
    hasHost = true
  }

  /// Letters, digits and the marks of names, addresses and ports.
  private static func isHostByte(_ byte: UInt8) -> Bool {
    byte.isDigit || (0x61...0x7A).contains(byte.lowercased) || "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
  }

  private mutating func noteLength(_ value: Slice<UnsafeRawBufferPointer>) throws(HeadFault) {
    guard !hasLength else { throw HeadFault(400, "The field Content-Length is there twice.") }
    guard !value.isEmpty, value.allSatisfy(\.isDigit) else {
      throw HeadFault(400, "The field Content-Length is not a number.")
    }
    hasLength = true
    hasBody = value.contains { $0 != UInt8(ascii: "0") }
  }

  private mutating func noteCoding(_ value: Slice<UnsafeRawBufferPointer>) throws(HeadFault) {
    guard !isChunked, value.isText("chunked") else {
      throw HeadFault(400, "The only transfer coding is chunked, and it is named once.")
    }
    isChunked = true
  }

  private mutating func noteConnection(_ value: Slice<UnsafeRawBufferPointer>) {
    for member in value.split(separator: UInt8(ascii: ",")) {
      let member = Self.trimmed(member)
      if member.isText("close") { wantsClose = true }
      if member.isText("keep-alive") { wantsKeepAlive = true }
    }
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return bytes
  }
}
