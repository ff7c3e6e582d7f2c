import FoundationEssentials

/// What makes two loads end in the same picture by the same way.
///
/// It is read from the request when two are compared, so that callers with one and the same request compare nothing.
struct PictureKey: Sendable {
  private let request: ResolvedRequest
  /// A run that was asked for aside, to refresh what was answered already.
  private let isBackgroundRefresh: Bool
  /// A number of its own for a request that changes something, which shares with no other and not with itself.
  private let alone: UInt64?

  init(_ request: ResolvedRequest, isBackgroundRefresh: Bool = false) {
    self.request = request
    self.isBackgroundRefresh = isBackgroundRefresh
    alone = request.isSafe ? nil : RunNumber.next()
  }

  /// The key of the picture.
  var variant: CacheKey { request.variantKey }
}

extension PictureKey: Hashable {
  static func == (left: PictureKey, right: PictureKey) -> Bool {
    left.isBackgroundRefresh == right.isBackgroundRefresh && left.alone == right.alone
      && (left.request === right.request || left.request.endsInThePicture(of: right.request))
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(request.variantKey)
    hasher.combine(request.decisiveOptions)
  }
}

extension ResolvedRequest {
  /// The options that decide which way is taken.
  fileprivate var decisiveOptions: ImageOptions {
    options.intersection([.retryFailed, .refreshCached, .fromCacheOnly, .fromLoaderOnly, .requireAnimated])
  }

  fileprivate func endsInThePicture(of other: ResolvedRequest) -> Bool {
    variantKey == other.variantKey && decisiveOptions == other.decisiveOptions
      && layers.query == other.layers.query && layers.originalQuery == other.layers.originalQuery
      && cacheInstance == other.cacheInstance && originalCacheInstance == other.originalCacheInstance
      && retryInstance == other.retryInstance && serializerInstance == other.serializerInstance
      && cachePolicy == other.cachePolicy && varyingFields == other.varyingFields && limits == other.limits
  }
}

/// What makes two questions to a cache the same.
struct LookupKey: Hashable, Sendable {
  let key: CacheKey
  let layers: CacheLayers
  let cache: PluginInstance
}

/// What makes two transfers the same.
struct TransferKey: Hashable, Sendable {
  let original: CacheKey
  let cachePolicy: CachePolicy
  /// The fields that make it a revalidation.
  let conditions: HTTPHeaders
  /// Whose answer they are about, where redirects led to it.
  let validatedURL: URL?
  /// The fields of the request, where what is answered may vary with them.
  let varyingFields: HTTPHeaders
  /// Who decides on retries, since one caller's patience is not another's.
  let retryPolicy: PluginInstance?
  /// A number of its own for a request that changes something, which shares with no other.
  let alone: UInt64?

  init(_ request: ResolvedRequest, revalidating record: CacheRecord? = nil) {
    original = request.originalKey
    cachePolicy = request.cachePolicy
    varyingFields = request.varyingFields
    conditions = record?.response.map { HTTPCacheRules($0).conditions } ?? [:]
    validatedURL = conditions.isEmpty ? nil : record?.response?.redirectedURL
    retryPolicy = request.retryInstance
    alone = request.isSafe ? nil : RunNumber.next()
  }

  var isRevalidation: Bool { !conditions.isEmpty }
}

/// What makes two pieces of decoding and transforming the same.
struct PixelsKey: Hashable, Sendable {
  /// Where the pixels come from.
  enum Input: Hashable, Sendable {
    /// One transfer and no other, for the next of the same key may bring other bytes.
    case transfer(run: UInt64)
    /// Bytes of a cache, and what is known of them where they are not those that came.
    case bytes(generation: UInt64, PictureRecord?)
    case bitmap(generation: UInt64)
    /// The first frame of a moving picture, by itself.
    case firstFrame(generation: UInt64)
  }

  let original: CacheKey
  let input: Input
  let decodeOptions: DecodeOptions
  /// The coder that the context chose, nil for the manager's.
  private let coder: KeySuffix?
  let limits: Limits
  /// The context's keys that change pixels, as they stand in the cache key.
  let settings: [KeySuffix]
  /// The transformers so far; none is decoding.
  private let steps: [KeySuffix]
  let transformsFrames: Bool
  /// The plan that a decode follows; nobody else has use for what it makes.
  let plan: DecodePlan?

  init(
    original: CacheKey, input: Input, decodeOptions: DecodeOptions, coder: String?, limits: Limits,
    settings: [KeySuffix], steps: [String], transformsFrames: Bool, plan: DecodePlan?
  ) {
    self.original = original
    self.input = input
    self.decodeOptions = decodeOptions
    self.limits = limits
    self.settings = settings
    self.transformsFrames = transformsFrames
    self.plan = plan
    // As suffixes, which are compared byte by byte.
    self.coder = coder.map { KeySuffix($0, origin: .setting) }
    self.steps = steps.map { KeySuffix($0) }
  }
}
