import EaselSupport
import Synchronization

/// The key of a picture in a cache.
///
/// It names the picture, the version of its bytes, and the steps that made the pixels.
///
/// These three parts are its identity. The hash is computed once, and copies of a key compare without reading text.
///
/// ```swift
/// if let key = manager.cacheKey(for: request) {
///   print(key.original, key.suffixes.map(\.text), key.diskName)
/// }
/// ```
public struct CacheKey: Sendable {
  @usableFromInline
  package final class Parts: Sendable {
    /// The digest of the key; 0 until it is first needed.
    // This field is first, next to the reference count, because each hit in memory reads it.
    let digest = Atomic<UInt64>(0)
    package let original: String
    package let scope: CacheKey.Scope
    package let suffixes: [CacheKey.Suffix]
    let originalHash: Int

    package init(_ original: String, _ scope: CacheKey.Scope, _ suffixes: [CacheKey.Suffix]) {
      self.original = original
      self.scope = scope
      self.suffixes = suffixes
      var hasher = Hasher()
      hasher.combine(original)
      hasher.combine(scope)
      originalHash = hasher.finalize()
    }
  }

  @usableFromInline package let parts: Parts

  /// The hash computed when the key was made.
  ///
  /// Its lowest eight bits are the same for all keys of one original. Several tables can divide keys by these bits, and
  /// then keep all entries of an original in one table.
  @usableFromInline package let precomputedHash: Int

  /// Combines an original, the scope that decides its bytes, and the steps that changed it.
  public init(original: String, scope: CacheKey.Scope = CacheKey.Scope(), suffixes: [CacheKey.Suffix] = []) {
    parts = Parts(original, scope, suffixes)
    precomputedHash = Self.hash(parts.originalHash, suffixes)
  }

  private static func hash(_ originalHash: Int, _ suffixes: [CacheKey.Suffix]) -> Int {
    guard !suffixes.isEmpty else { return originalHash }
    var hasher = Hasher()
    hasher.combine(originalHash)
    hasher.combine(suffixes)
    return hasher.finalize() & ~0xFF | originalHash & 0xFF
  }

  /// The name of the picture: its URL, or the text that a ``CacheKeyFilter`` made of the URL.
  public var original: String { parts.original }

  /// Everything besides the original that decides the bytes.
  public var scope: CacheKey.Scope { parts.scope }

  /// The steps that made the pixels, in order.
  public var suffixes: [CacheKey.Suffix] { parts.suffixes }

  /// The key of the bytes from which this variant is made.
  public var originalKey: CacheKey {
    isVariant ? CacheKey(original: original, scope: scope) : self
  }

  /// True for a variant: at least one step changed the original.
  public var isVariant: Bool { !parts.suffixes.isEmpty }

  /// True when the entry may be stored on disk.
  public var isStorable: Bool { parts.scope.isStorable }

  /// A name for a file or a row: 32 hexadecimal digits computed from the whole identity.
  ///
  /// The name of a key with unnamed plug-ins is valid only in this process; see ``isStorable``.
  public var diskName: String {
    var bytes = originalBytes
    appendSuffixes(to: &bytes)
    return Self.name(of: bytes)
  }

  /// The disk names of the original and of the key itself, computed together because that is cheaper.
  package var diskNames: (original: String, own: String) {
    var bytes = originalBytes
    let original = Self.name(of: bytes)
    guard isVariant else { return (original, original) }
    appendSuffixes(to: &bytes)
    return (original, Self.name(of: bytes))
  }

  private var originalBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(original.utf8.count + 128)
    KeyFraming.append(original, to: &bytes)
    scope.append(to: &bytes)
    return bytes
  }

  private func appendSuffixes(to bytes: inout [UInt8]) {
    for suffix in suffixes {
      KeyFraming.append(Int(suffix.origin.rawValue), to: &bytes)
      KeyFraming.append(suffix.text, to: &bytes)
    }
  }

  private static func name(of bytes: [UInt8]) -> String { hexadecimal(SHA256.hash(bytes).prefix(16)) }
}

extension CacheKey: Hashable {
  /// True when original, scope and suffixes are equal.
  @inlinable
  public static func == (left: CacheKey, right: CacheKey) -> Bool {
    left.precomputedHash == right.precomputedHash && (left.parts === right.parts || left.hasPartsEqual(to: right))
  }

  @usableFromInline
  func hasPartsEqual(to other: CacheKey) -> Bool {
    ByteComparison.isSame(parts.original, other.parts.original) && parts.scope == other.parts.scope
      && parts.suffixes == other.parts.suffixes
  }

  /// Feeds the precomputed hash to the hasher.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(precomputedHash) }

  // The name is that of a requirement of Hashable.
  // swift-format-ignore: NoLeadingUnderscores
  /// Hashes a single number, which takes a dictionary half the time that a hasher takes.
  @inlinable
  public func _rawHashValue(seed: Int) -> Int { precomputedHash._rawHashValue(seed: seed) }

  /// An identity that all copies of one key share, as long as one of the copies lives.
  @inlinable
  package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

  /// True when both keys have the same original.
  package func hasSameOriginal(as other: CacheKey) -> Bool {
    if parts === other.parts { return true }
    guard parts.originalHash == other.parts.originalHash else { return false }
    return ByteComparison.isSame(parts.original, other.parts.original) && parts.scope == other.parts.scope
  }
}

extension CacheKey: CustomStringConvertible {
  /// The readable form.
  public var description: String { readable }
}

extension CacheKey {
  /// The key as text for logs and listings: the suffixes stand before the extension of the last path segment.
  ///
  /// The text is never parsed back into a key, because a URL may contain text that looks like a suffix. A user name and
  /// a password in a URL are replaced by `***`.
  public var readable: String {
    let original = ShownURL.text(original)
    let text = suffixes.isEmpty ? original : Self.insert(suffixes.map(\.text).joined(separator: "-"), into: original)
    return scope.isEmpty ? text : "\(text)@\(scope.digits)"
  }

  private static func insert(_ suffix: String, into original: String) -> String {
    let bytes = Array(original.utf8)
    let position = insertionPoint(bytes)
    return String(decoding: bytes[..<position] + Array("-\(suffix)".utf8) + bytes[position...], as: UTF8.self)
  }

  /// The position of the last dot in the last path segment if there is text on both sides of it, else the end of the
  /// path.
  private static func insertionPoint(_ bytes: [UInt8]) -> Int {
    let pathStart = endOfAuthority(bytes)
    let pathEnd = bytes[pathStart...].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    let path = bytes[pathStart..<pathEnd]
    let segmentStart = path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? pathStart
    // The name of a host without a path contains dots too, but they begin no extension.
    let hasSegment = pathStart == 0 || segmentStart > pathStart
    let segment = bytes[segmentStart..<pathEnd]
    guard hasSegment, let dot = segment.lastIndex(of: UInt8(ascii: ".")) else { return pathEnd }
    return dot > segmentStart && dot + 1 < pathEnd ? dot : pathEnd
  }

  /// The end of scheme and authority; 0 for a text without them.
  private static func endOfAuthority(_ bytes: [UInt8]) -> Int {
    let separator = Array("://".utf8)
    guard
      let colon = bytes.firstIndex(where: { !isSchemeCharacter($0) }), colon > 0,
      bytes[colon...].starts(with: separator)
    else { return 0 }
    let start = colon + separator.count
    let delimiters = Array("/?#".utf8)
    return bytes[start...].firstIndex { delimiters.contains($0) } ?? bytes.count
  }

  private static func isSchemeCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
