import FoundationEssentials

/// Asking for pictures.
extension ImageManager {
  /// Loads the picture at a URL; nil fails with `invalidURL`.
  public func image(
    for url: URL?, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(for: ImageRequest(url: url, options: options, context: context)).image
  }

  /// Loads the picture that a request asks for.
  public func image(for request: ImageRequest) async throws(ImageError) -> Image {
    try await result(for: request).image
  }

  /// Loads the picture that a request asks for, and says how it was had.
  public func result(for request: ImageRequest) async throws(ImageError) -> ImageResult {
    try await run(Load(request))
  }

  /// Starts a load that can be watched, made more urgent and given up.
  ///
  /// When it returns, the load is under way and has taken its turn: loads that are begun one after another come to the
  /// loader, and to its queues, in that order.
  public func load(_ request: ImageRequest) -> ImageTask { ImageTask(request, by: self) }

  /// Starts a load of the picture at a URL; nil fails with `invalidURL`.
  public func load(_ url: URL?, options: ImageOptions = [], context: ImageContext = []) -> ImageTask {
    load(ImageRequest(url: url, options: options, context: context))
  }

  /// Starts a load that calls back: `onEvent` any number of times, then `completion` exactly once.
  ///
  /// The calls come one after another, on no thread in particular.
  @discardableResult
  public func load(
    _ request: ImageRequest, onEvent: (@Sendable (ImageTask.Event) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResult, ImageError>) -> Void
  ) -> ImageTask {
    // Before anything happens, so that nothing of it is missed.
    let channel = EventChannel()
    let events = channel.stream()
    let task = ImageTask(request, by: self, channel: channel)
    Task.detached {
      for await event in events { onEvent?(event) }
      do throws(ImageError) {
        completion(.success(try await task.result))
      } catch {
        completion(.failure(error))
      }
    }
    return task
  }

  /// Makes a picture of bytes at hand, through decoding, transformers and the cache of variants.
  ///
  /// `key` names the bytes: equal keys must mean equal bytes. Without one nothing is cached.
  public func image(
    from data: Data, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(from: ImageBytes(data), key: key, options: options, context: context).image
  }

  /// The same for bytes in memory or in a file.
  public func image(
    from bytes: ImageBytes, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(from: bytes, key: key, options: options, context: context).image
  }

  /// The same for bytes in memory or in a file, and says how the picture was had.
  public func result(
    from bytes: ImageBytes, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> ImageResult {
    try await result(for: Self.request(for: bytes, key: key, options: options, context: context))
  }

  private static func request(
    for bytes: ImageBytes, key: String?, options: ImageOptions, context: ImageContext
  ) -> ImageRequest {
    var context = context
    context[.loader] = BytesLoader(bytes, name: key)
    context[.cacheKeyFilter] = .closure { _ in key }
    return ImageRequest(url: BytesLoader.url, options: options, context: context)
  }

  /// The picture in memory, answered at once on the caller's thread; nil where memory has none that may be used.
  ///
  /// A request that is kept and used again is answered without any allocation.
  public func cachedImage(for request: ImageRequest) -> Image? {
    guard let resolved = request.resolved(with: configuration, by: identity),
      let found = findInMemory(resolved), !resolved.transformsFirstFrame(of: found.image)
    else { return nil }
    return resolved.fitted(found.image)
  }

  /// The picture of a URL in memory, answered at once on the caller's thread.
  public func cachedImage(for url: URL?, options: ImageOptions = [], context: ImageContext = []) -> Image? {
    cachedImage(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The key under which the finished picture is cached, nil where it is not.
  public func cacheKey(for request: ImageRequest) -> CacheKey? {
    guard let resolved = request.resolved(with: configuration, by: identity), resolved.isCacheable else { return nil }
    return resolved.variantKey
  }

  /// The key under which the finished picture of a URL is cached, nil where it is not.
  public func cacheKey(for url: URL?, options: ImageOptions = [], context: ImageContext = []) -> CacheKey? {
    cacheKey(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The key under which the picture of bytes at hand is cached that are named `key`.
  public func cacheKey(
    forBytesNamed key: String, options: ImageOptions = [], context: ImageContext = []
  ) -> CacheKey? {
    cacheKey(for: Self.request(for: ImageBytes([]), key: key, options: options, context: context))
  }
}

/// Hands over bytes that the caller had already.
final class BytesLoader: ImageLoader {
  static let url = URL(string: "bytes:")!

  private let bytes: ImageBytes
  private let name: String?

  init(_ bytes: ImageBytes, name: String?) {
    self.bytes = bytes
    self.name = name
  }

  /// The key names the bytes; without one they are like no others.
  var cacheIdentity: String? { name == nil ? nil : "bytes" }

  func canLoad(_ url: URL) -> Bool { true }

  /// The caller keeps the original; only what is made of it is stored.
  func origin(of url: URL) -> ImageOrigin {
    ImageOrigin(key: url.absoluteString, scope: cacheIdentity, diskUse: .variantsOnly)
  }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    .bytes(bytes, ResponseHead(url: request.url))
  }
}
