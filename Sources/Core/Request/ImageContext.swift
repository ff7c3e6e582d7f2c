import EaselSupport
import FoundationEssentials

/// Carries plug-ins and settings for a load through the manager.
///
/// Keys are typed. A context is copied only when it changes, and costs nothing while it is empty. Every plug-in also
/// gets the keys that the manager does not know.
///
/// ```swift
/// var context: ImageContext = [.thumbnailSize(PixelSize(width: 320, height: 320))]
/// context[.limits] = Limits(framePixels: 20_000_000)
/// let image = try await manager.image(for: url, context: context)
/// ```
public struct ImageContext: Sendable {
  /// A key with its value, such as `.scaleFactor(2)`.
  public class Entry: ContextKeys, @unchecked Sendable {
    @usableFromInline package let id: ObjectIdentifier

    package init(id: ObjectIdentifier) {
      self.id = id
      super.init()
    }

    /// Creates an entry for a plug-in's key.
    public static func setting<Key: ImageContext.Key>(_ key: Key.Type, _ value: Key.Value) -> Entry {
      Setting(ContextKey(key), value)
    }

    package var name: String { "" }
    var cachePart: (kind: CachePartKind, text: String)? { nil }
    package func keepsApart(_ runs: ImageContext.SharedRuns, _ other: ImageContext) -> Bool { false }
    package var forgetsFailures: Bool { false }
  }

  package enum CachePartKind { case bytes, pixels }

  @usableFromInline
  package final class Setting<Value: Sendable>: Entry, @unchecked Sendable {
    @usableFromInline let value: Value
    private let key: ContextKey<Value>
    // Made when the value is set, so that no code of a plug-in runs while keys of work are compared under a lock.
    private let sharingText: String?

    init(_ key: ContextKey<Value>, _ value: Value) {
      self.value = value
      self.key = key
      sharingText = key.impact.describeForSharing?(value)
      super.init(id: key.id)
    }

    package override var name: String { key.name }

    override var cachePart: (kind: CachePartKind, text: String)? {
      let impact = key.impact
      guard let describe = impact.describe else { return nil }
      return (impact.kind == .bytes ? .bytes : .pixels, describe(value))
    }

    package override func keepsApart(_ runs: ImageContext.SharedRuns, _ other: ImageContext) -> Bool {
      guard key.impact.keptApart.contains(runs) else { return false }
      return !ByteComparison.isSame(sharingText, (other.entry(id) as? Setting)?.sharingText)
    }

    package override var forgetsFailures: Bool { key.impact.forgetsFailures }
  }

  // A search through an array is faster than a dictionary for a few settings.
  @usableFromInline package var settings: ContiguousArray<Entry> = []

  /// Begins without any value.
  public init() {}

  /// True when the context has no values.
  public var isEmpty: Bool { settings.isEmpty }

  /// The value of a key of the core; nil removes the value.
  @inlinable
  public subscript<Value>(key: ContextKey<Value>) -> Value? {
    get { value(key.id) }
    set { set(key, newValue) }
  }

  /// The value of a plug-in's key; nil removes the value.
  @inlinable
  public subscript<Key: ImageContext.Key>(key: Key.Type) -> Key.Value? {
    get { value(ObjectIdentifier(key)) }
    set { set(ContextKey(key), newValue) }
  }

  /// Adds every value of `other`, and replaces values of the same keys.
  public mutating func merge(_ other: ImageContext) {
    if settings.isEmpty {
      settings = other.settings
    } else {
      for setting in other.settings { replace(setting.id, with: setting) }
    }
  }

  @inlinable
  package func value<Value: Sendable>(_ id: ObjectIdentifier) -> Value? {
    for setting in settings where setting.id == id {
      return unsafeDowncast(setting, to: Setting<Value>.self).value
    }
    return nil
  }

  @usableFromInline
  package mutating func set<Value: Sendable>(_ key: ContextKey<Value>, _ value: Value?) {
    replace(key.id, with: value.map { Setting(key, $0) })
  }

  private mutating func replace(_ id: ObjectIdentifier, with setting: Entry?) {
    let index = settings.firstIndex { $0.id == id }
    switch (index, setting) {
    case (let index?, let setting?): settings[index] = setting
    case (let index?, nil): settings.remove(at: index)
    case (nil, let setting?): settings.append(setting)
    case (nil, nil): break
    }
  }

  /// The object that holds the value of a key; copies of a context share it.
  package func holder<Value>(of key: ContextKey<Value>) -> (any AnyObject & Sendable)? { entry(key.id) }

  fileprivate func entry(_ id: ObjectIdentifier) -> Entry? { settings.first { $0.id == id } }

  /// The parts that plug-in keys add to the cache key for bytes or pixels, sorted by name.
  package func cacheParts(_ kind: CachePartKind) -> [(name: String, text: String)] {
    settings.compactMap { setting in
      guard let part = setting.cachePart, part.kind == kind else { return nil }
      return (setting.name, part.text)
    }.sorted { left, right in
      // Names are compared byte by byte, because names that look alike may differ.
      if !ByteComparison.isSame(left.name, right.name) { return ByteComparison.precedes(left.name, right.name) }
      return ByteComparison.precedes(left.text, right.text)
    }
  }
}

extension ImageContext: ExpressibleByArrayLiteral {
  /// Creates a context from entries; if several entries have the same key, the last one counts.
  public init(arrayLiteral elements: Entry...) {
    for element in elements { replace(element.id, with: element) }
  }
}
