import EaselCore

/// The head of a request that a listener accepts.
package struct RequestHead: Hashable, Sendable {
  /// The method, such as `GET`.
  package var method = ""
  /// The path and the query as they were sent.
  package var target = ""
  /// The fields in the order in which they were sent.
  package var headers = HTTPHeaders()
  /// True for HTTP/1.1, false for HTTP/1.0.
  package var isCurrentVersion = true
  /// True when the client wants to send another request on the connection.
  package var keepsAlive = true

  package init() {}
}

/// The reason why a head is refused.
package struct HeadFault: Error, Hashable {
  /// The status code of the answer.
  package var status: Int
  /// One sentence for whoever sent the head.
  package var message: String

  init(_ status: Int, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// The limits of a head.
package struct HeadLimits: Hashable, Sendable {
  /// The most bytes of the head, with the empty line at its end.
  package var headBytes = 16_384
  /// The most bytes of the target.
  package var targetBytes = 8192
  /// The most fields.
  package var fields = 100
  /// The methods that the handler knows.
  package var methods = ["GET", "HEAD", "OPTIONS"]

  package init() {}
}

/// Reads the head of one HTTP/1 request, which may arrive in pieces.
///
/// It refuses all that two programs could understand differently: other ends of lines than CR and LF, continued lines,
/// control bytes, a length that is stated twice, any transfer coding. A request with a body is refused, so bytes after
/// a head can only be the next head.
package struct HeadReader: Sendable {
  /// The result of a reading.
  package enum Result: Hashable, Sendable {
    /// The end of the head is still to come.
    case incomplete
    /// The head, and the number of its bytes.
    case head(RequestHead, length: Int)
    /// The connection cannot be used any more.
    case refused(HeadFault)
  }

  private var head = RequestHead()
  private var hasRequestLine = false
  private var hasSkippedLine = false
  private var scanned = 0
  private var lineStart = 0
  private var rules = FieldRules()

  package init() {}

  /// True when the request line asks for a head alone.
  var isHeadOnly: Bool { head.method == "HEAD" }

  /// Reads on; `bytes` are all bytes since the beginning of the head, of which earlier calls may have seen the first.
  ///
  /// A piece is looked at once, so a client that sends single bytes causes no more work than others.
  package mutating func read(_ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) -> Result {
    do throws(HeadFault) {
      guard let length = try scan(bytes, limits) else { return .incomplete }
      try rules.finish(&head, limits)
      return .head(head, length: length)
    } catch {
      return .refused(error)
    }
  }

  /// The length of the head; nil when its end is still to come.
  private mutating func scan(_ bytes: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadFault) -> Int? {
    let end = min(bytes.count, limits.headBytes)
    while scanned < end {
      let byte = bytes[scanned]
      if byte >= 0x20 && byte != 0x7F || byte == 0x09 {
        scanned += 1
        continue
      }
      guard byte == 0x0D else { throw Self.forbidden(byte) }
      guard scanned + 1 < end else { break }
      guard bytes[scanned + 1] == 0x0A else { throw HeadFault(400, "A line ends with CR alone; it must be CR and LF.") }
      let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<scanned])
      scanned += 2
      lineStart = scanned
      if try takeLine(line, limits) { return scanned }
    }
    guard bytes.count >= limits.headBytes else { return nil }
    if hasRequestLine { throw Self.tooLarge(limits) }
    guard bytes[lineStart..<end].contains(0x20) else { throw Self.malformedLine }
    throw Self.targetTooLong(limits)
  }

  /// True when the line is the empty one that ends the head.
  private mutating func takeLine(_ line: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadFault) -> Bool {
    if hasRequestLine {
      if line.isEmpty { return true }
      guard head.headers.fields.count < limits.fields else {
        throw HeadFault(431, "The head has more than \(limits.fields) fields.")
      }
      try rules.takeField(line, &head)
    } else if line.isEmpty {
      // Some clients send an empty line after a request (RFC 9112 section 2.2).
      guard !hasSkippedLine else { throw Self.malformedLine }
      hasSkippedLine = true
    } else {
      try takeRequestLine(line, limits)
      hasRequestLine = true
    }
    return false
  }

  private mutating func takeRequestLine(_ line: UnsafeRawBufferPointer, _ limits: HeadLimits) throws(HeadFault) {
    guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
      throw Self.malformedLine
    }
    head.isCurrentVersion = try Self.isCurrent(UnsafeRawBufferPointer(rebasing: line[(last + 1)...]))
    head.keepsAlive = head.isCurrentVersion
    let method = UnsafeRawBufferPointer(rebasing: line[..<first])
    let target = UnsafeRawBufferPointer(rebasing: line[(first + 1)..<last])
    guard method.isToken, !target.isEmpty, !target.contains(where: { $0 == 0x20 || $0 == 0x09 }) else {
      throw Self.malformedLine
    }
    guard target.count <= limits.targetBytes else { throw Self.targetTooLong(limits) }
    guard let text = String(validating: target, as: UTF8.self) else {
      throw HeadFault(400, "The target has bytes that are not UTF-8; write them with percent signs.")
    }
    head.method = String(decoding: method, as: UTF8.self)
    head.target = text
  }

  private static func isCurrent(_ version: UnsafeRawBufferPointer) throws(HeadFault) -> Bool {
    let isVersion =
      version.count == 8 && version.starts(with: "HTTP/".utf8) && version[6] == UInt8(ascii: ".")
      && version[5].isDigit && version[7].isDigit
    guard isVersion else { throw malformedLine }
    guard version[5] == UInt8(ascii: "1"), version[7] <= UInt8(ascii: "1") else {
      throw HeadFault(505, "The version of HTTP must be 1.1 or 1.0.")
    }
    return version[7] == UInt8(ascii: "1")
  }

  private static func forbidden(_ byte: UInt8) -> HeadFault {
    if byte == 0x0A { return HeadFault(400, "A line ends with LF alone; it must be CR and LF.") }
    return HeadFault(400, "The head has a control byte (\(byte)).")
  }

  private static let malformedLine = HeadFault(
    400, "The request line must be a method, a target and a version, with one space between.")

  private static func targetTooLong(_ limits: HeadLimits) -> HeadFault {
    HeadFault(414, "The target is longer than \(min(limits.targetBytes, limits.headBytes)) bytes.")
  }

  private static func tooLarge(_ limits: HeadLimits) -> HeadFault {
    HeadFault(431, "The head is larger than \(limits.headBytes) bytes.")
  }
}

extension UInt8 {
  var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// This byte, in lower case if it is an ASCII delivery.
  var lowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

  /// True for a byte that a token of HTTP may have (RFC 9110 section 5.6.2).
  var isTokenByte: Bool {
    guard self < 128 else { return false }
    // Digits and !#$%&'*+-. are in the first mask, deliveries and ^_`|~ in the second.
    let mask: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
    return mask >> UInt64(self & 63) & 1 == 1
  }
}

extension Collection<UInt8> {
  /// True when the bytes are the name of a method or of a field.
  var isToken: Bool { !isEmpty && allSatisfy(\.isTokenByte) }

  /// True when the bytes are `text`, which is in lower case, in any case.
  func isText(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount
      && text.withUTF8Buffer { text in zip(self, text).allSatisfy { $0.lowercased == $1 } }
  }
}
