/// The name of a picture in a cache: which picture, which bytes, which pixels.
///
/// All three are its identity. Its hash is made once, and two keys made from one another compare without looking at
/// their texts.
public struct CacheKey: Sendable {
  @usableFromInline
  final class Parts: Sendable {
    let original: String
    let scope: CacheScope
    let suffixes: [KeySuffix]
    let originalHash: Int

    init(_ original: String, _ scope: CacheScope, _ suffixes: [KeySuffix]) {
      self.original = original
      self.scope = scope
      self.suffixes = suffixes
      var hasher = Hasher()
      hasher.combine(original)
      hasher.combine(scope)
      originalHash = hasher.finalize()
    }
  }

  @usableFromInline let parts: Parts

  /// The hash that was made with the key, for tables of their own.
  ///
  /// Its lowest eight bits are the same for everything made of one original, so that who divides keys among several
  /// tables by them has all of an original in one.
  public let precomputedHash: Int

  /// Creates a key.
  public init(original: String, scope: CacheScope = CacheScope(), suffixes: [KeySuffix] = []) {
    parts = Parts(original, scope, suffixes)
    precomputedHash = Self.hash(parts.originalHash, suffixes)
  }

  private static func hash(_ originalHash: Int, _ suffixes: [KeySuffix]) -> Int {
    guard !suffixes.isEmpty else { return originalHash }
    var hasher = Hasher()
    hasher.combine(originalHash)
    hasher.combine(suffixes)
    return hasher.finalize() & ~0xFF | originalHash & 0xFF
  }

  /// Which picture: what a filter made of the URL, or the URL itself.
  public var original: String { parts.original }

  /// Which bytes of it.
  public var scope: CacheScope { parts.scope }

  /// Which pixels made of them.
  public var suffixes: [KeySuffix] { parts.suffixes }

  /// The key of the bytes that this picture is made of.
  public var originalKey: CacheKey {
    isVariant ? CacheKey(original: original, scope: scope) : self
  }

  /// Whether something was done to the pixels.
  public var isVariant: Bool { !parts.suffixes.isEmpty }

  /// Whether what it names may go to disk.
  public var isStorable: Bool { parts.scope.isStorable }

  /// The name of a file or row: 32 hexadecimal digits made of all that is the key's identity.
  ///
  /// Scopes that name an instance have no name that outlives the process; see ``isStorable``.
  public var diskName: String {
    var bytes: [UInt8] = []
    KeyFraming.append(original, to: &bytes)
    scope.append(to: &bytes)
    for suffix in suffixes {
      KeyFraming.append(Int(suffix.origin.rawValue), to: &bytes)
      KeyFraming.append(suffix.text, to: &bytes)
    }
    return hexadecimal(SHA256.hash(bytes).prefix(16))
  }
}

extension CacheKey: Hashable {
  /// Whether original, scope and suffixes are the same.
  @inlinable
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.precomputedHash == right.precomputedHash && (left.parts === right.parts || left.hasPartsEqual(to: right))
  }

  @usableFromInline
  func hasPartsEqual(to other: CacheKey) -> Bool {
    KeyText.isSame(parts.original, other.parts.original) && parts.scope == other.parts.scope
      && parts.suffixes == other.parts.suffixes
  }

  /// Feeds the hash that was made with the key.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(precomputedHash) }

  /// The same for copies of one key while one of them lives.
  @inlinable
  package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

  /// Whether both are made of the same original, or are it.
  package func hasSameOriginal(as other: CacheKey) -> Bool {
    if parts === other.parts { return true }
    guard parts.originalHash == other.parts.originalHash else { return false }
    return KeyText.isSame(parts.original, other.parts.original) && parts.scope == other.parts.scope
  }
}

extension CacheKey: CustomStringConvertible {
  /// The readable form.
  public var description: String { readable }
}
