/// What makes two loads end in the same picture by the same way.
///
/// It is read from the request when two are compared, so that callers with one and the same request compare nothing.
struct PictureKey: Sendable {
  private let request: ResolvedRequest
  /// A run that was asked for aside, to refresh what was answered already.
  private let asksAside: Bool
  /// A number of its own for a request that changes something, which shares with no other and not with itself.
  private let alone: UInt64?

  init(_ request: ResolvedRequest, asksAside: Bool = false) {
    self.request = request
    self.asksAside = asksAside
    alone = request.isSafe ? nil : RunNumber.next()
  }

  /// The key of the picture.
  var variant: CacheKey { request.variantKey }
}

extension PictureKey: Hashable {
  static func == (left: PictureKey, right: PictureKey) -> Bool {
    left.asksAside == right.asksAside && left.alone == right.alone
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
