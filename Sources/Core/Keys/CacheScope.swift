/// What else than the original decides the bytes: a token, a modifier, a decryption key.
public struct CacheScope: Sendable {
  /// One thing that decides the bytes.
  public struct Part: Hashable, Sendable, Comparable, Codable {
    /// What kind of thing it is.
    public let name: String
    /// Which one it is.
    public let value: String

    /// Creates a part.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Whether name and value are the same, byte by byte.
    public static func == (left: Part, right: Part) -> Bool {
      KeyText.isSame(left.name, right.name) && KeyText.isSame(left.value, right.value)
    }

    /// Hashes what equality compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(value)
    }

    /// Orders by the bytes of the name, then by those of the value.
    public static func < (left: Part, right: Part) -> Bool {
      if !KeyText.isSame(left.name, right.name) { return KeyText.precedes(left.name, right.name) }
      return KeyText.precedes(left.value, right.value)
    }
  }

  /// The parts, sorted.
  public private(set) var parts: [Part] = []
  private var instances: [Instance] = []

  /// A plug-in without a name of its own, and the place where it stands.
  private struct Instance: Hashable, Sendable {
    let name: String
    let plugin: PluginInstance
  }

  /// Creates the scope of a plain load.
  public init() {}

  /// Creates a scope of named parts.
  public init(parts: [Part]) { self.parts = parts.sorted() }

  /// Whether nothing but the original decides the bytes.
  public var isEmpty: Bool { parts.isEmpty && instances.isEmpty }

  /// Whether the scope means the same in another process, so that what it names may go to disk.
  public var isStorable: Bool { instances.isEmpty }

  mutating func add(_ name: String, _ value: String) {
    parts.append(Part(name: name, value: value))
    parts.sort()
  }

  mutating func add(_ name: String, instance: PluginInstance) {
    instances.append(Instance(name: name, plugin: instance))
  }
}

extension CacheScope: Hashable {
  /// Whether two scopes name the same bytes.
  public static func == (left: CacheScope, right: CacheScope) -> Bool {
    left.parts == right.parts && left.instances == right.instances
  }

  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(parts)
    hasher.combine(instances)
  }

  /// Eight hexadecimal digits for people to tell scopes apart by.
  var digits: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return hexadecimal(SHA256.hash(bytes).prefix(4))
  }

  /// Writes all that makes the scope what it is.
  func append(to bytes: inout [UInt8]) {
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
