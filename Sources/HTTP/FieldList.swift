import EaselCore
import FoundationEssentials

/// Parses header fields that contain lists, by the grammar of RFC 9110 section 5.6.1.
enum FieldList {
  /// The members of all lines of a field in order, without surrounding blanks and without empty members.
  ///
  /// Each line is parsed on its own, and a quote that is never closed in its line is an ordinary character. Otherwise
  /// an open quote could hide the directives after it.
  static func members(of lines: [String]) -> [Substring] {
    var members: [Substring] = []
    for line in lines { append(line, to: &members) }
    return members
  }

  /// Removes the spaces and tabs around a part of a field.
  static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8
    while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
    while let last = bytes.last, isBlank(last) { bytes.removeLast() }
    return Substring(bytes)
  }

  /// True when a text is a token, such as the name of a field or a directive (section 5.6.2).
  static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"):
          true
        default: marks.contains(byte)
        }
      }
  }

  private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

  private static func append(_ line: String, to members: inout [Substring]) {
    let bytes = line.utf8
    var start = bytes.startIndex
    var index = start
    var mayQuote = true
    func add(_ end: String.Index) {
      let member = trimmed(line[start..<end])
      if !member.isEmpty { members.append(member) }
    }
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\""), mayQuote {
        if let end = endOfQuotes(in: bytes, from: index) { index = end } else { mayQuote = false }
      } else if bytes[index] == UInt8(ascii: ",") {
        add(index)
        start = bytes.index(after: index)
      }
      bytes.formIndex(after: &index)
    }
    add(bytes.endIndex)
  }

  /// The index of the quote that closes the quote at `start`.
  private static func endOfQuotes(in bytes: String.UTF8View, from start: String.Index) -> String.Index? {
    var index = bytes.index(after: start)
    while index < bytes.endIndex {
      if bytes[index] == UInt8(ascii: "\"") { return index }
      if bytes[index] == UInt8(ascii: "\\") { bytes.formIndex(after: &index) }
      if index < bytes.endIndex { bytes.formIndex(after: &index) }
    }
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

extension HTTPHeaders {
  /// The fields about the response and not about its connection: only these may be stored (RFC 9111 section 3.1).
  package var endToEnd: HTTPHeaders {
    let named = FieldList.members(of: values(of: "Connection")).map { Self.folded(String($0)) }
    return filtered { name in
      let name = Self.folded(name)
      return !Self.connectionFields.contains(name)
        && (!named.contains(name) || Self.neverConnectionFields.contains(name))
    }
  }

  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  // A server must not list these fields in `Connection` (RFC 9110 section 7.6.1), so they are kept if it does.
  private static let neverConnectionFields: Set<String> = [
    "age", "cache-control", "date", "etag", "expires", "last-modified", "vary",
  ]
}
