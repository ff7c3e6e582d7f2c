import EaselCore
import EaselWorkers
import FoundationEssentials

/// Loading pictures.
extension ImageManager {
  /// Loads the picture at a URL.
  ///
  /// A nil URL fails with `invalidURL`.
  ///
  /// ```swift
  /// let photo = try await manager.image(for: url)
  /// let box = PixelSize(width: 320, height: 320)
  /// let thumbnail = try await manager.image(for: url, context: [.thumbnailSize(box)])
  /// ```
  public func image(
    for url: URL?, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(for: ImageRequest(url: url, options: options, context: context)).image
  }

  /// Loads the picture that a request asks for.
  ///
  /// ```swift
  /// var request = ImageRequest(url: url, options: .retryFailed)
  /// request.priority = .high
  /// let image = try await manager.image(for: request)
  /// ```
  public func image(for request: ImageRequest) async throws(ImageError) -> Image {
    try await result(for: request).image
  }

  /// Loads the picture that a request asks for, and returns it with its source, its key and details of the response.
  ///
  /// ```swift
  /// let result = try await manager.result(for: request)
  /// print(result.image.size, result.source == .network ? "loaded" : "cached")
  /// ```
  public func result(for request: ImageRequest) async throws(ImageError) -> ImageResult {
    try await Loading(manager: self, load: Load(request)).picture()
  }

  /// Starts a load that can be observed, reprioritized and cancelled.
  ///
  /// When this returns, the load is running and has taken its turn: the queues of loaders and workers serve loads of
  /// the same priority in the order in which they were started.
  ///
  /// ```swift
  /// let task = manager.load(request)
  /// task.priority = .veryHigh
  /// let image = try await task.image
  /// ```
  public func load(_ request: ImageRequest) -> ImageTask { ImageTask(request, by: self) }

  /// Starts a load of the picture at a URL.
  ///
  /// A nil URL fails with `invalidURL`.
  ///
  /// ```swift
  /// let task = manager.load(url, options: .progressive)
  /// for await event in task.events {
  ///   if case .preview(let part) = event { print("a part of \(part.size)") }
  /// }
  /// let image = try await task.image
  /// ```
  public func load(_ url: URL?, options: ImageOptions = [], context: ImageContext = []) -> ImageTask {
    load(ImageRequest(url: url, options: options, context: context))
  }

  /// Starts a load with callbacks: `onEvent` is called for each event, then `completion` exactly once.
  ///
  /// The calls never overlap, but they may come on any thread.
  ///
  /// ```swift
  /// manager.load(
  ///   request,
  ///   completion: { result in
  ///     switch result {
  ///     case .success(let result): print(result.image.size)
  ///     case .failure(let error): print(error.message)
  ///     }
  ///   })
  /// ```
  @discardableResult
  public func load(
    _ request: ImageRequest, onEvent: (@Sendable (ImageTask.Event) -> Void)? = nil,
    completion: @escaping @Sendable (Result<ImageResult, ImageError>) -> Void
  ) -> ImageTask {
    // The stream is made before the load starts, so that it misses no event.
    let channel = EventChannel()
    let events = channel.stream()
    let task = ImageTask(request, by: self, channel: channel)
    Task(priority: task.priority.ofTask) {
      for await event in events { onEvent?(event) }
      do throws(ImageError) {
        completion(.success(try await task.result))
      } catch {
        completion(.failure(error))
      }
    }
    return task
  }

  /// Makes a picture from bytes that the caller has; the transformers and the cache of variants apply.
  ///
  /// `key` names the bytes: equal keys must mean equal bytes. Without a key nothing is cached.
  ///
  /// ```swift
  /// let upload = try Data(contentsOf: file)
  /// let image = try await manager.image(from: upload, context: [.transformer(.resize(width: 320))])
  /// ```
  public func image(
    from data: Data, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(from: ImageBytes(data), key: key, options: options, context: context).image
  }

  /// Makes a picture from bytes in memory or in a file.
  public func image(
    from bytes: ImageBytes, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> Image {
    try await result(from: bytes, key: key, options: options, context: context).image
  }

  /// Makes a picture from bytes in memory or in a file, and returns it with its source and its key.
  public func result(
    from bytes: ImageBytes, key: String? = nil, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> ImageResult {
    try await result(for: Self.request(for: bytes, key: key, options: options, context: context))
  }

  private static func request(
    for bytes: ImageBytes, key: String?, options: ImageOptions, context: ImageContext
  ) -> ImageRequest {
    ImageRequest(from: .bytes(SuppliedBytes(bytes, name: key)), options: options, context: context)
  }

  /// Looks up the picture of a request in memory, on the calling thread and without waiting.
  ///
  /// Returns nil when memory has no usable picture.
  ///
  /// The lookup allocates nothing when the caller keeps the request and uses it again.
  ///
  /// ```swift
  /// if let image = manager.cachedImage(for: request) { print("in memory: \(image.size)") }
  /// ```
  public func cachedImage(for request: ImageRequest) -> Image? {
    guard let resolved = request.resolved(with: configuration, by: identity),
      let found = MemoryLookup.picture(resolved, by: self), !resolved.transformsFirstFrame(of: found.image)
    else { return nil }
    return resolved.fitted(found.image)
  }

  /// Looks up the picture of a URL in memory, on the calling thread and without waiting.
  ///
  /// ```swift
  /// let isInMemory = manager.cachedImage(for: url, context: [.transformer(.resize(width: 320))]) != nil
  /// ```
  public func cachedImage(for url: URL?, options: ImageOptions = [], context: ImageContext = []) -> Image? {
    cachedImage(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The key under which the finished picture is cached; nil when it is not cached.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, context: [.transformer(.resize(width: 320))])
  /// print(manager.cacheKey(for: request)?.readable ?? "not cached")
  /// ```
  public func cacheKey(for request: ImageRequest) -> CacheKey? {
    guard let resolved = request.resolved(with: configuration, by: identity), resolved.isCacheable else { return nil }
    return resolved.variantKey
  }

  /// The key under which the finished picture of a URL is cached; nil when it is not cached.
  public func cacheKey(for url: URL?, options: ImageOptions = [], context: ImageContext = []) -> CacheKey? {
    cacheKey(for: ImageRequest(url: url, options: options, context: context))
  }

  /// The cache key of a picture that is made from bytes named `key`.
  public func cacheKey(
    forBytesNamed key: String, options: ImageOptions = [], context: ImageContext = []
  ) -> CacheKey? {
    cacheKey(for: Self.request(for: ImageBytes([]), key: key, options: options, context: context))
  }
}
