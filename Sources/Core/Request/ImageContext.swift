/// The dictionary that carries plug-ins and settings through the manager.
///
/// Its keys are typed, it is copied only when changed, it costs nothing while empty, and keys that the manager does not
/// know reach every plug-in untouched.
public struct ImageContext: Sendable {
  @usableFromInline
  class AnySetting: @unchecked Sendable {
    // Unchecked only because a class that others inherit from cannot be checked; it and its heirs are immutable.
    @usableFromInline let id: ObjectIdentifier
    init(id: ObjectIdentifier) { self.id = id }
    var name: String { "" }
    var cachePart: (kind: CachePartKind, text: String)? { nil }
  }

  enum CachePartKind { case bytes, pixels }

  @usableFromInline
  final class Setting<Value: Sendable>: AnySetting, @unchecked Sendable {
    @usableFromInline let value: Value
    private let key: ContextKey<Value>

    init(_ key: ContextKey<Value>, _ value: Value) {
      self.value = value
      self.key = key
      super.init(id: key.id)
    }

    override var name: String { key.name }

    override var cachePart: (kind: CachePartKind, text: String)? {
      let impact = key.impact
      guard let describe = impact.describe else { return nil }
      return (impact.kind == .bytes ? .bytes : .pixels, describe(value))
    }
  }

  // A handful of settings is found faster in a row than in a table.
  @usableFromInline var settings: ContiguousArray<AnySetting> = []

  /// Creates an empty context.
  public init() {}

  /// Whether it carries nothing.
  public var isEmpty: Bool { settings.isEmpty }

  /// The value of a key of the core; nil removes it.
  @inlinable
  public subscript<Value>(key: ContextKey<Value>) -> Value? {
    get { value(key.id) }
    set { set(key, newValue) }
  }

  /// The value of a plug-in's key; nil removes it.
  @inlinable
  public subscript<Key: ImageContextKey>(key: Key.Type) -> Key.Value? {
    get { value(ObjectIdentifier(key)) }
    set { set(ContextKey(key), newValue) }
  }

  /// Takes over every value of `other`, replacing those of the same keys.
  public mutating func merge(_ other: ImageContext) {
    if settings.isEmpty {
      settings = other.settings
    } else {
      for setting in other.settings { replace(setting.id, with: setting) }
    }
  }

  @inlinable
  func value<Value: Sendable>(_ id: ObjectIdentifier) -> Value? {
    for setting in settings where setting.id == id {
      return unsafeDowncast(setting, to: Setting<Value>.self).value
    }
    return nil
  }

  @usableFromInline
  mutating func set<Value: Sendable>(_ key: ContextKey<Value>, _ value: Value?) {
    replace(key.id, with: value.map { Setting(key, $0) })
  }

  private mutating func replace(_ id: ObjectIdentifier, with setting: AnySetting?) {
    let index = settings.firstIndex { $0.id == id }
    switch (index, setting) {
    case (let index?, let setting?): settings[index] = setting
    case (let index?, nil): settings.remove(at: index)
    case (nil, let setting?): settings.append(setting)
    case (nil, nil): break
    }
  }

  /// The object that holds the value of a key, the same one in all copies of a context.
  func holder<Value>(of key: ContextKey<Value>) -> (any AnyObject & Sendable)? {
    settings.first { $0.id == key.id }
  }

  /// What the plug-ins' keys say about bytes or pixels, sorted by name.
  func cacheParts(_ kind: CachePartKind) -> [(name: String, text: String)] {
    settings.compactMap { setting in
      guard let part = setting.cachePart, part.kind == kind else { return nil }
      return (setting.name, part.text)
    }.sorted { left, right in
      // By bytes, since names that only look alike are of different keys.
      if !KeyText.isSame(left.name, right.name) { return KeyText.precedes(left.name, right.name) }
      return KeyText.precedes(left.text, right.text)
    }
  }
}

extension ImageContext: ExpressibleByArrayLiteral {
  /// One key with its value, for array literals.
  public struct Entry: Sendable {
    let setting: AnySetting

    /// Creates an entry for a key of the core.
    public init<Value>(_ key: ContextKey<Value>, _ value: Value) {
      setting = Setting(key, value)
    }

    /// An entry for a plug-in's key.
    public static func setting<Key: ImageContextKey>(_ key: Key.Type, _ value: Key.Value) -> Entry {
      Entry(ContextKey(key), value)
    }
  }

  /// Creates a context from entries; of two with the same key the last counts.
  public init(arrayLiteral elements: Entry...) {
    for element in elements { replace(element.setting.id, with: element.setting) }
  }
}
