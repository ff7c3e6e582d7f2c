import EaselSupport

/// Header fields in the order in which they were added; names are compared without regard to case.
///
/// ```swift
/// var headers: HTTPHeaders = ["Accept": "image/webp"]
/// headers["X-Token"] = "secret"
/// print(headers["accept"] ?? "none")
/// ```
public struct HTTPHeaders: Hashable, Sendable {
  /// One header field.
  public struct Field: Hashable, Sendable, Codable {
    /// The name in its original spelling.
    public var name: String
    /// The value.
    public var value: String

    /// Combines the name of a field with its value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Compares name and value byte by byte, as servers do.
    public static func == (left: Field, right: Field) -> Bool {
      ByteComparison.isSame(left.name, right.name) && ByteComparison.isSame(left.value, right.value)
    }
  }

  /// All fields in order.
  public private(set) var fields: [Field] = []

  /// Begins without a field.
  public init() {}

  /// Creates fields from pairs of name and value.
  public init(_ pairs: [(String, String)]) { fields = pairs.map { Field(name: $0.0, value: $0.1) } }

  /// True when there are no fields.
  public var isEmpty: Bool { fields.isEmpty }

  /// The value of the field with this name; if there are several fields, a comma joins their values.
  ///
  /// Setting a value replaces all fields of this name.
  public subscript(name: String) -> String? {
    get {
      guard let at = fields.firstIndex(where: { Self.isSame($0.name, name) }) else { return nil }
      return fields[(at + 1)...].reduce(fields[at].value) { Self.isSame($1.name, name) ? "\($0), \($1.value)" : $0 }
    }
    set {
      let position = fields.firstIndex { Self.isSame($0.name, name) } ?? fields.endIndex
      fields.removeAll { Self.isSame($0.name, name) }
      if let newValue { fields.insert(Field(name: name, value: newValue), at: min(position, fields.count)) }
    }
  }

  /// The values of all fields of this name.
  public func values(of name: String) -> [String] {
    fields.filter { Self.isSame($0.name, name) }.map(\.value)
  }

  /// Adds a field, and keeps existing fields of the same name.
  ///
  /// ```swift
  /// var headers: HTTPHeaders = ["Vary": "Accept"]
  /// headers.add("Vary", "Accept-Language")
  /// print(headers.values(of: "Vary"))
  /// ```
  public mutating func add(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// The names of the fields that make a server send the body only if it has changed.
  package static let conditions = ["If-None-Match", "If-Modified-Since"]

  /// True when the fields ask a server to send the body only if it has changed.
  package var hasConditions: Bool { Self.conditions.contains { self[$0] != nil } }

  /// The fields without conditions, for a request that always gets the body.
  package var withoutConditions: HTTPHeaders {
    var headers = self
    for name in Self.conditions { headers[name] = nil }
    return headers
  }

  /// The number of bytes in all names and values.
  package var byteCount: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }

  /// Makes room for this many fields.
  package mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

  /// Adds every field of `others`, and replaces fields of the same names.
  public mutating func merge(_ others: HTTPHeaders) {
    fields.removeAll { field in others.fields.contains { Self.isSame($0.name, field.name) } }
    fields += others.fields
  }

  /// The fields for whose names `isWanted` returns true.
  package func filtered(_ isWanted: (_ name: String) -> Bool) -> HTTPHeaders {
    var result = self
    result.fields.removeAll { !isWanted($0.name) }
    return result
  }

  /// Converts a name to lower case.
  ///
  /// Only ASCII letters have a case here.
  package static func folded(_ name: String) -> String { String(decoding: name.utf8.map(lowercase), as: UTF8.self) }

  package static func isSame(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { lowercase($0) == lowercase($1) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }
}

extension String {
  /// True when the text is valid as the value of a header field: it has no control bytes.
  package var isFieldText: Bool { utf8.allSatisfy { $0 >= 32 && $0 != 127 } }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  /// Creates fields from a literal.
  public init(dictionaryLiteral elements: (String, String)...) { self.init(elements) }
}

extension HTTPHeaders: Codable {
  /// Decodes the fields.
  public init(from decoder: any Decoder) throws {
    fields = try decoder.singleValueContainer().decode([Field].self)
  }

  /// Encodes the fields.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(fields)
  }
}
