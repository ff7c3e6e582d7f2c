import EaselCore
import FoundationEssentials

/// Loading pictures as encoded bytes.
extension ImageManager {
  /// Loads the picture that a request asks for, as bytes in the encoded form that a recipe describes.
  ///
  /// The bytes are cached like pictures, under the key of the picture with `Encode(...)` at its end. Callers who want
  /// the same bytes share one transfer, one decode and one encode. The bytes are fresh as long as the original is.
  /// Transformers apply to moving pictures too: to all frames, or to the first frame if only that one is written.
  ///
  /// An original that already satisfies the request is delivered unchanged and is not decoded. For this it must have
  /// the wanted format and not too many bytes, the transformers must not change its size, and it must have no metadata
  /// unless the recipe keeps them. If the recipe sets a quality, a loss, a scan order, a resolution of colour, a
  /// compression level or a setting of a coder that changes files of the format, the picture is always encoded.
  ///
  /// Before anything is loaded, it throws `encodeFailed` when no coder writes the formats or a value of the recipe is
  /// invalid. Later it throws the same errors as for pictures.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, context: [.transformer(.resize(width: 320))])
  /// let picture = try await manager.encoded(for: request, as: EncodeRecipe(.webp, .jpeg))
  /// print(picture.format.mimeType, picture.bytes.count)
  /// ```
  public func encoded(
    for request: ImageRequest, as recipe: EncodeRecipe
  ) async throws(ImageError) -> EncodedImage {
    if !Task.isCancelled, let known = request.resolved(as: recipe, with: configuration, by: identity),
      known.observer == nil, let found = MemoryLookup.encoded(known, by: self)
    {
      return found
    }
    return try await Loading(manager: self, load: Load(request, recipe: recipe)).encoded()
  }

  /// Loads the picture at a URL, as bytes in the encoded form that a recipe describes.
  ///
  /// ```swift
  /// let picture = try await manager.encoded(for: url, as: .webp)
  /// ```
  ///
  /// A nil URL fails with `invalidURL`.
  public func encoded(
    for url: URL?, as recipe: EncodeRecipe, options: ImageOptions = [], context: ImageContext = []
  ) async throws(ImageError) -> EncodedImage {
    try await encoded(for: ImageRequest(url: url, options: options, context: context), as: recipe)
  }

  /// Makes encoded bytes from the bytes of a picture that the caller has, in memory or in a file.
  ///
  /// `key` names the bytes of the picture: equal keys must mean equal bytes. Without a key nothing is cached.
  ///
  /// ```swift
  /// let upload = try ImageBytes(contentsOfFile: file.path)
  /// let small = try await manager.encoded(
  ///   from: upload, as: EncodeRecipe(.webp, quality: 0.7), context: [.transformer(.resize(width: 320))])
  /// ```
  public func encoded(
    from bytes: ImageBytes, key: String? = nil, as recipe: EncodeRecipe, options: ImageOptions = [],
    context: ImageContext = []
  ) async throws(ImageError) -> EncodedImage {
    let source = ImageRequest.Source.bytes(SuppliedBytes(bytes, name: key))
    return try await encoded(for: ImageRequest(from: source, options: options, context: context), as: recipe)
  }

  /// Makes encoded bytes from bytes at hand on the calling thread.
  ///
  /// The call blocks this thread, which must be one of the program's own.
  ///
  /// Nothing is cached, and observers get no events.
  package func encodedByThisThread(
    from bytes: ImageBytes, as recipe: EncodeRecipe, context: ImageContext
  ) throws(ImageError) -> (bytes: ImageBytes, format: ImageFormat, size: PixelSize) {
    let source = ImageRequest.Source.bytes(SuppliedBytes(bytes, name: nil))
    let request = ImageRequest(from: source, options: [], context: context)
    guard let resolved = request.resolved(as: recipe, with: configuration, by: identity) else {
      throw request.whyUnresolved
    }
    if let error = resolved.formError { throw error }
    guard let encoding = DirectEncoding(resolved) else {
      throw ImageError(.encodeFailed, "These settings need a load, which a thread cannot wait for.")
    }
    let work = WorkContext(limits: resolved.limits, context: resolved.context, clock: configuration.clock)
    do {
      let made = try encoding.make(work)
      return (made.bytes, made.format, made.size)
    } catch {
      throw .wrapping(error, as: .encodeFailed, "The picture could not be converted.")
    }
  }

  /// Looks up encoded bytes in memory, on the calling thread and without waiting.
  ///
  /// Returns nil when memory has no usable bytes. The lookup allocates nothing when the caller keeps the request and
  /// uses it again.
  ///
  /// ```swift
  /// let recipe = EncodeRecipe(.webp, quality: 0.7)
  /// if let picture = manager.cachedEncoded(for: request, as: recipe) { print(picture.entityTag) }
  /// ```
  public func cachedEncoded(for request: ImageRequest, as recipe: EncodeRecipe) -> EncodedImage? {
    request.resolved(as: recipe, with: configuration, by: identity).flatMap { MemoryLookup.encoded($0, by: self) }
  }

  /// The key under which encoded bytes are cached; nil when they are not cached.
  public func cacheKey(for request: ImageRequest, as recipe: EncodeRecipe) -> CacheKey? {
    guard let resolved = request.resolved(as: recipe, with: configuration, by: identity), resolved.isCacheable,
      resolved.form != nil
    else { return nil }
    return resolved.resultKey
  }
}
