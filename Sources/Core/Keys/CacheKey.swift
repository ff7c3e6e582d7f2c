/// The key of a picture in a cache.
///
/// It names the picture, its bytes and the pixels made of them.
///
/// These three parts are its identity. The hash is computed once, and copies of a key compare without reading text.
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

  /// The hash computed when the key was made, for hash tables of your own.
  ///
  /// Its lowest eight bits are the same for all keys of one original. Several tables that divide keys by these bits
  /// thus keep all entries of an original in one table.
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

  /// The picture: the URL, or the text that a ``CacheKeyFilter`` made of it.
  public var original: String { parts.original }

  /// The bytes of the picture: everything besides the original that decides them.
  public var scope: CacheScope { parts.scope }

  /// The pixels: everything that was done to them, in order.
  public var suffixes: [KeySuffix] { parts.suffixes }

  /// The key of the bytes from which this variant is made.
  public var originalKey: CacheKey {
    isVariant ? CacheKey(original: original, scope: scope) : self
  }

  /// True for a variant: something was done to the pixels of the original.
  public var isVariant: Bool { !parts.suffixes.isEmpty }

  /// True when the entry may be stored on disk.
  public var isStorable: Bool { parts.scope.isStorable }

  /// A name for a file or a row: 32 hexadecimal digits computed from the whole identity.
  ///
  /// The name of a key with unnamed plug-ins is valid only in this process; see ``isStorable``.
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
  /// True when original, scope and suffixes are equal.
  @inlinable
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.precomputedHash == right.precomputedHash && (left.parts === right.parts || left.hasPartsEqual(to: right))
  }

  @usableFromInline
  func hasPartsEqual(to other: CacheKey) -> Bool {
    KeyText.isSame(parts.original, other.parts.original) && parts.scope == other.parts.scope
      && parts.suffixes == other.parts.suffixes
  }

  /// Feeds the precomputed hash to the hasher.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(precomputedHash) }

  /// Equal for all copies of one key, as long as one of them lives.
  @inlinable
  package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

  /// True when both keys have the same original.
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
