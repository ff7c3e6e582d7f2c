import EaselCore

/// The head of a response, read from its lines.
struct ResponseLines {
  private(set) var status = 0
  private(set) var headers = HTTPHeaders()
  private var fields: [(String, String)] = []
  /// What the server says that it sends, packed or not.
  private(set) var announcedLength: Int?
  /// How the body is packed; nil where it is not.
  private(set) var packing: String?
  private var isChunked = false
  private var hasLocation = false

  /// Nil when the first line states no status.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var lines = Lines(bytes)
    guard let first = lines.next(), let status = Self.status(in: first) else { return nil }
    self.status = status
    // Every response passes here, so that neither lines nor names become arrays or strings of their own on the way.
    fields.reserveCapacity(16)
    var pending: UnsafeBufferPointer<UInt8>?
    while let line = lines.next() {
      if let start = line.first, Self.isBlank(start) {
        // A folded line goes on with the value before, blanks and all between.
        if let field = pending { pending = Self.joined(field, line) }
        continue
      }
      if let field = pending { add(field) }
      pending = line
    }
    if let field = pending { add(field) }
    headers = HTTPHeaders(fields)
    fields = []
  }

  /// The length of the body as it will be delivered; nil when it is not stated, or stated for the packed bytes.
  var length: Int? { packing == nil && !isChunked ? announcedLength : nil }

  var isRedirect: Bool { hasLocation && [301, 302, 303, 307, 308].contains(status) }

  private mutating func add(_ line: UnsafeBufferPointer<UInt8>) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = Self.trimmed(line[..<colon])
    guard !name.isEmpty else { return }
    let text = Self.trimmed(line[(colon + 1)...])
    // Only a folded value has the ends of lines in it.
    let value = text.contains(10) ? Self.unfolded(text) : Self.string(text)
    fields.append((Self.string(name), value))
    note(name, value)
  }

  private mutating func note(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: String) {
    switch name.count {
    case 8 where Self.isSame(name, "location"): hasLocation = true
    case 14 where Self.isSame(name, "content-length"): if announcedLength == nil { announcedLength = Int(value) }
    case 16 where Self.isSame(name, "content-encoding"):
      if !value.isEmpty, !["identity", "none"].contains(value.lowercased()) {
        packing = packing.map { "\($0), \(value)" } ?? value
      }
    case 17 where Self.isSame(name, "transfer-encoding"): isChunked = true
    default: break
    }
  }

  private static func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
  }

  private static func unfolded(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    let parts = bytes.split(separator: 10).map { string(trimmed($0)) }
    return parts.filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// Compares with a name in lower case.
  private static func isSame(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ other: StaticString) -> Bool {
    var index = 0
    for byte in name {
      let folded = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 32 : byte
      guard folded == other.utf8Start[index] else { return false }
      index += 1
    }
    return true
  }

  private static func status(in line: UnsafeBufferPointer<UInt8>) -> Int? {
    guard line.count >= 5, line.prefix(5).elementsEqual("HTTP/".utf8), let blank = line.firstIndex(of: 32) else {
      return nil
    }
    let digits = trimmed(line[blank...]).prefix { (48..<58).contains($0) }
    return digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1) - 48 } : nil
  }

  /// Both lines lie in one piece of memory, one behind the other.
  private static func joined(
    _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>
  ) -> UnsafeBufferPointer<UInt8> {
    let end = other.baseAddress! + other.count
    return UnsafeBufferPointer(start: one.baseAddress, count: end - one.baseAddress!)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }

  private static func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Slice<UnsafeBufferPointer<UInt8>> {
    var rest = bytes
    while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
    while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
    return rest
  }

  /// The lines of a text, one after another, without empty ones.
  private struct Lines {
    private var rest: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { rest = bytes }

    mutating func next() -> UnsafeBufferPointer<UInt8>? {
      while !rest.isEmpty {
        let end = rest.firstIndex(of: 10) ?? rest.endIndex
        let line = UnsafeBufferPointer(rebasing: rest[..<end])
        rest = UnsafeBufferPointer(rebasing: rest[min(end + 1, rest.endIndex)...])
        if !line.isEmpty { return line }
      }
      return nil
    }
  }
}
