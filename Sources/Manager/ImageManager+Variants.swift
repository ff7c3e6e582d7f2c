import EaselCore

/// One of several encoded pictures that are made from one original.
///
/// ```swift
/// let card = ImageVariant(.resize(width: 320), as: .webp)
/// ```
public struct ImageVariant: Sendable {
  /// The transformer that makes the pixels; it follows the transformer of the request.
  public var transformer: TransformerPipeline
  /// The encoded form of the result.
  public var recipe: EncodeRecipe

  /// Describes a variant; without a transformer its pixels are those of the request.
  public init(_ transformer: TransformerPipeline = .identity, as recipe: EncodeRecipe) {
    self.transformer = transformer
    self.recipe = recipe
  }
}

/// Making several encoded pictures from one original.
extension ImageManager {
  /// Makes several encoded pictures from one original, which is loaded once.
  ///
  /// ```swift
  /// let pictures = try await manager.variants(
  ///   of: request,
  ///   as: [
  ///     ImageVariant(.resize(width: 96), as: .webp), ImageVariant(.resize(width: 320), as: .webp),
  ///     ImageVariant(as: .jpeg),
  ///   ])
  /// ```
  ///
  /// The results are in the order of the variants. All are made at the same time, and each is looked up, made and
  /// cached as by ``encoded(for:as:)``. The loader is called only once, so its bytes may be available only once, like
  /// the body of an upload. The first failure cancels the other variants.
  public func variants(
    of request: ImageRequest, as variants: [ImageVariant]
  ) async throws(ImageError) -> [EncodedImage] {
    let transfers = transferKeys(of: request)
    for key in transfers { transferRuns.keep(key) }
    defer { for key in transfers { transferRuns.letGo(of: key) } }
    return try await make(variants, of: variants.map { request.followed(by: $0.transformer, in: configuration) })
  }

  /// Makes several encoded pictures from the bytes of a picture that the caller has, in memory or in a file.
  ///
  /// `key` names the bytes of the picture: equal keys must mean equal bytes. Without a key nothing is cached.
  public func variants(
    of bytes: ImageBytes, key: String? = nil, as variants: [ImageVariant], options: ImageOptions = [],
    context: ImageContext = []
  ) async throws(ImageError) -> [EncodedImage] {
    let source = ImageRequest.Source.bytes(SuppliedBytes(bytes, name: key))
    return try await self.variants(of: ImageRequest(from: source, options: options, context: context), as: variants)
  }

  /// The keys of the transfers of a request, one for each of its URLs.
  private func transferKeys(of request: ImageRequest) -> [TransferKey] {
    var sources = [request]
    for url in request.fallbackURLs {
      var other = request
      other.url = url
      sources.append(other)
    }
    return sources.compactMap { source in
      source.resolved(with: configuration, by: identity).map { TransferKey($0) }
    }
  }

  private func make(
    _ variants: [ImageVariant], of requests: [ImageRequest]
  ) async throws(ImageError) -> [EncodedImage] {
    let outcome = await withTaskGroup(
      of: (Int, Result<EncodedImage, ImageError>).self, returning: Result<[EncodedImage], ImageError>.self
    ) { group in
      for (index, variant) in variants.enumerated() {
        group.addTask { (index, await self.outcome(of: requests[index], as: variant.recipe)) }
      }
      var made = [EncodedImage?](repeating: nil, count: variants.count)
      var failure: ImageError?
      for await (index, result) in group {
        switch result {
        case .success(let picture): made[index] = picture
        case .failure(let error):
          // A failed variant may cancel the transfer for which another variant waits. The first failure is the one to
          // report.
          if failure?.isCancellation ?? true { failure = error }
          if !error.isCancellation { group.cancelAll() }
        }
      }
      if let failure { return .failure(failure) }
      return .success(made.map { $0! })
    }
    return try outcome.get()
  }

  private func outcome(
    of request: ImageRequest, as recipe: EncodeRecipe
  ) async -> Result<EncodedImage, ImageError> {
    do throws(ImageError) {
      return .success(try await encoded(for: request, as: recipe))
    } catch {
      return .failure(error)
    }
  }
}

extension ImageRequest {
  /// The same request with a transformer after its own, or after that of the manager.
  fileprivate func followed(
    by transformer: TransformerPipeline, in configuration: ImageManager.Configuration
  ) -> ImageRequest {
    guard !transformer.isIdentity else { return self }
    var request = self
    request.context[.transformer] = (context[.transformer] ?? configuration.transformer).then(transformer)
    return request
  }
}
