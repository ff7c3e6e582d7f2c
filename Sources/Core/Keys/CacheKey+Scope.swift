import EaselSupport

extension CacheKey {
  /// Everything besides the original that decides the bytes: a token, a modifier, a decryption key.
  public struct Scope: Sendable {
    /// A single value that decides the bytes.
    public struct Part: Hashable, Sendable, Comparable, Codable {
      /// The kind of the value.
      public let name: String
      /// The value itself.
      public let value: String

      /// Takes the name of something that decides the bytes, such as a header field, and its value.
      public init(name: String, value: String) {
        self.name = name
        self.value = value
      }

      /// True when name and value are equal, compared byte by byte.
      public static func == (left: Part, right: Part) -> Bool {
        ByteComparison.isSame(left.name, right.name) && ByteComparison.isSame(left.value, right.value)
      }

      /// Hashes the values that equality compares.
      public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
      }

      /// Orders by the bytes of the name, then by those of the value.
      public static func < (left: Part, right: Part) -> Bool {
        if !ByteComparison.isSame(left.name, right.name) { return ByteComparison.precedes(left.name, right.name) }
        return ByteComparison.precedes(left.value, right.value)
      }
    }

    /// The parts, sorted.
    public private(set) var parts: [Part] = []
    private var instances: [Instance] = []

    /// A plug-in without a name, and its role in the request.
    private struct Instance: Hashable, Sendable {
      let name: String
      let plugin: PluginInstance
    }

    /// Creates the scope of a plain load.
    public init() {}

    /// Sorts the parts by name, so that their order makes no difference.
    public init(parts: [Part]) { self.parts = parts.sorted() }

    /// True when only the original decides the bytes.
    public var isEmpty: Bool { parts.isEmpty && instances.isEmpty }

    /// True when the scope has the same meaning in other processes, so that entries may be stored on disk.
    public var isStorable: Bool { instances.isEmpty }

    package mutating func add(_ name: String, _ value: String) {
      parts.append(Part(name: name, value: value))
      parts.sort()
    }

    package mutating func add(_ name: String, instance: PluginInstance) {
      instances.append(Instance(name: name, plugin: instance))
    }
  }
}

extension CacheKey.Scope: Hashable {
  /// True when both scopes stand for the same bytes.
  public static func == (left: CacheKey.Scope, right: CacheKey.Scope) -> Bool {
    left.parts == right.parts && left.instances == right.instances
  }

  /// Hashes the values that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts)
    hasher.combine(instances)
  }

  /// Eight hexadecimal digits by which people can tell scopes apart.
  package var digits: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return hexadecimal(SHA256.hash(bytes).prefix(4))
  }

  /// Adds the whole identity of the scope.
  package func add(to digest: inout KeyDigest) {
    digest.add(parts.count)
    for part in parts {
      digest.add(part.name)
      digest.add(part.value)
    }
    digest.add(instances.count)
    for instance in instances {
      digest.add(instance.name)
      digest.add(instance.plugin.number)
    }
  }

  /// Appends the whole identity of the scope.
  package func append(to bytes: inout [UInt8]) {
    KeyFraming.append(parts.count, to: &bytes)
    for part in parts {
      KeyFraming.append(part.name, to: &bytes)
      KeyFraming.append(part.value, to: &bytes)
    }
    KeyFraming.append(instances.count, to: &bytes)
    for instance in instances {
      KeyFraming.append(instance.name, to: &bytes)
      KeyFraming.append(instance.plugin.number, to: &bytes)
    }
  }
}

/// Encodes texts so that different lists of texts never give the same bytes.
enum KeyFraming {
  static func append(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { utf8 in
      append(utf8.count, to: &bytes)
      bytes.append(contentsOf: utf8)
    }
  }

  static func append(_ number: Int, to bytes: inout [UInt8]) {
    var digits = String(number)
    digits.withUTF8 { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: ":"))
  }
}
