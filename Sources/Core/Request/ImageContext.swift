import FoundationEssentials

/// Carries plug-ins and settings for a load through the manager.
///
/// Keys are typed. A context is copied only when it is changed, and costs nothing while it is empty. Keys that the
/// manager does not know are passed to every plug-in unchanged.
public struct ImageContext: Sendable {
  @usableFromInline
  class AnySetting: @unchecked Sendable {
    // Unchecked, because the compiler cannot check a class with subclasses. This class and its subclasses are
    // immutable.
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

  // A search through an array is faster than a dictionary for a few settings.
  @usableFromInline var settings: ContiguousArray<AnySetting> = []

  /// Creates an empty context.
  public init() {}

  /// True when the context has no values.
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

  /// Adds every value of `other`, and replaces values of the same keys.
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

  /// The object that holds the value of a key; copies of a context share it.
  func holder<Value>(of key: ContextKey<Value>) -> (any AnyObject & Sendable)? {
    settings.first { $0.id == key.id }
  }

  /// The parts that plug-in keys add to the cache key for bytes or pixels, sorted by name.
  func cacheParts(_ kind: CachePartKind) -> [(name: String, text: String)] {
    settings.compactMap { setting in
      guard let part = setting.cachePart, part.kind == kind else { return nil }
      return (setting.name, part.text)
    }.sorted { left, right in
      // Names are compared by bytes, because keys with similar-looking names differ.
      if !ByteComparison.isSame(left.name, right.name) { return ByteComparison.precedes(left.name, right.name) }
      return ByteComparison.precedes(left.text, right.text)
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

    /// Creates an entry for a plug-in's key.
    public static func setting<Key: ImageContextKey>(_ key: Key.Type, _ value: Key.Value) -> Entry {
      Entry(ContextKey(key), value)
    }
  }

  /// Creates a context from entries; the last of several entries with the same key counts.
  public init(arrayLiteral elements: Entry...) {
    for element in elements { replace(element.setting.id, with: element.setting) }
  }
}

/// The keys of the core, for array literals of a context.
extension ImageContext.Entry {
  /// The transformer that is applied after decoding; `.identity` switches off the manager's own.
  public static func transformer(_ value: TransformerPipeline) -> Self { Self(.transformer, value) }
  /// The filter that names the original in the caches.
  public static func cacheKeyFilter(_ value: any CacheKeyFilter) -> Self { Self(.cacheKeyFilter, value) }
  /// The serializer that chooses the bytes to store on disk.
  public static func cacheSerializer(_ value: any CacheSerializer) -> Self { Self(.cacheSerializer, value) }
  /// The loader that fetches bytes for URLs.
  public static func loader(_ value: any ImageLoader) -> Self { Self(.loader, value) }
  /// The coder that probes, decodes and encodes.
  public static func coder(_ value: any ImageCoder) -> Self { Self(.coder, value) }
  /// The cache that keeps pictures and their variants.
  public static func cache(_ value: any ImageCache) -> Self { Self(.cache, value) }
  /// The cache that keeps the originals of variants.
  public static func originalCache(_ value: any ImageCache) -> Self { Self(.originalCache, value) }
  /// The modifier that changes the request before it is sent.
  public static func requestModifier(_ value: any RequestModifier) -> Self { Self(.requestModifier, value) }
  /// The modifier that changes the head of the response.
  public static func responseModifier(_ value: any ResponseModifier) -> Self { Self(.responseModifier, value) }
  /// The decryptor for the body.
  public static func decryptor(_ value: any Decryptor) -> Self { Self(.decryptor, value) }
  /// The policy that decides if a failed attempt is repeated.
  public static func retryPolicy(_ value: any RetryPolicy) -> Self { Self(.retryPolicy, value) }
  /// The limits on the size and the cost of a picture.
  ///
  /// A picture that is already cached is delivered whatever its size.
  public static func limits(_ value: Limits) -> Self { Self(.limits, value) }
  /// The box in pixels that the picture is scaled to fit while decoding.
  public static func thumbnailSize(_ value: PixelSize) -> Self { Self(.thumbnailSize, value) }
  /// True when a thumbnail keeps the ratio of its sides, which is the default.
  public static func preserveAspectRatio(_ value: Bool) -> Self { Self(.preserveAspectRatio, value) }
  /// The number of pixels per point on the target screen.
  public static func scaleFactor(_ value: Double) -> Self { Self(.scaleFactor, value) }
  /// The format to assume, regardless of the signature of the bytes.
  public static func typeHint(_ value: ImageFormat) -> Self { Self(.typeHint, value) }
  /// The options for decoding.
  ///
  /// `thumbnailSize`, `preserveAspectRatio`, `typeHint` and `scaleDownLimitBytes` override the corresponding options.
  public static func decodeOptions(_ value: DecodeOptions) -> Self { Self(.decodeOptions, value) }
  /// The options for encoding, for serializers that use them.
  public static func encodeOptions(_ value: EncodeOptions) -> Self { Self(.encodeOptions, value) }
  /// The maximum number of bytes of the bitmap.
  ///
  /// It applies also without `scaleDownLarge`, which by itself uses the manager's limit.
  public static func scaleDownLimitBytes(_ value: Int) -> Self { Self(.scaleDownLimitBytes, value) }
  /// The layers in which the picture is looked up; all by default.
  public static func queryLayers(_ value: CacheLayers) -> Self { Self(.queryLayers, value) }
  /// The layers in which the picture is stored; all by default.
  public static func storeLayers(_ value: CacheLayers) -> Self { Self(.storeLayers, value) }
  /// The layers in which the original of a variant is looked up; the disk by default.
  public static func originalQueryLayers(_ value: CacheLayers) -> Self { Self(.originalQueryLayers, value) }
  /// The layers in which the original of a variant is stored; the disk by default.
  public static func originalStoreLayers(_ value: CacheLayers) -> Self { Self(.originalStoreLayers, value) }
  /// Header fields to send, which are part of the cache key.
  ///
  /// The exceptions are `Accept`, `Accept-*`, `User-Agent`, `Referer` and the fields of ranges, conditions and caches.
  public static func headers(_ value: HTTPHeaders) -> Self { Self(.headers, value) }
  /// The rule for when a cached picture may be used.
  public static func cachePolicy(_ value: CachePolicy) -> Self { Self(.cachePolicy, value) }
  /// Your own data that is stored with the picture.
  public static func extendedData(_ value: Data) -> Self { Self(.extendedData, value) }
  /// The picture slot to load, for targets that show several pictures.
  public static func targetKey(_ value: String) -> Self { Self(.targetKey, value) }
  /// The observer that receives the events of this load instead of the manager's observer.
  public static func observer(_ value: any ImageObserver) -> Self { Self(.observer, value) }
  /// An additional observer that receives the events of this load.
  public static func additionalObserver(_ value: any ImageObserver) -> Self { Self(.additionalObserver, value) }
}
