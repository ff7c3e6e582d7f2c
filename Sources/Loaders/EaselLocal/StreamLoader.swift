import EaselCore
import FoundationEssentials

/// Loads a picture whose bytes arrive in a sequence, such as the body of an upload.
///
/// It decodes while the bytes arrive. When the pipeline needs time, the sequence is not read further, so a fast client
/// fills no memory. A sequence can be read only once, and so can a request that has this loader;
/// `ImageRequest(body:length:)` makes one.
///
/// ```swift
/// let (body, input) = AsyncStream<[UInt8]>.makeStream()
/// let request = ImageRequest(body: body, length: 40_960)
/// let pictures = try await manager.variants(
///   of: request, as: [ImageVariant(.resize(width: 320), as: .webp), ImageVariant(.resize(width: 1024), as: .webp)])
/// ```
public struct StreamLoader<Body: AsyncSequence & Sendable>: ImageLoader
where Body.Element: Sequence, Body.Element.Element == UInt8 {
  private let body: Body
  private let length: Int?

  /// Takes the bytes, and their number if it is known.
  public init(_ body: Body, length: Int? = nil) {
    self.body = body
    self.length = length
  }

  /// Each body is a picture of its own.
  public var cacheIdentity: CacheIdentity { .instance }

  /// Accepts URLs with the scheme `upload`, which only stand for the sequence.
  public func canLoad(_ url: URL) -> Bool { url.scheme == "upload" }

  /// The name of the URL; nothing goes to a disk.
  public func origin(of url: URL) -> ImageOrigin {
    ImageOrigin(key: url.absoluteString, cacheIdentity: .instance, diskUse: .nothing)
  }

  /// Reads the sequence to its end.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    try await sink.begin(ResponseHead(url: request.url, expectedLength: length))
    for try await piece in body {
      let demand =
        piece.withContiguousStorageIfAvailable { sink.append(UnsafeRawBufferPointer($0)) }
        ?? Array(piece).withUnsafeBytes { sink.append($0) }
      switch demand {
      case .more: break
      case .pause: await withCheckedContinuation { ready in sink.whenReady { ready.resume() } }
      case .stop: throw CancellationError()
      }
    }
    // A sequence may end without an error because its reader was cancelled.
    try Task.checkCancellation()
    return .body(nil)
  }
}

extension ImageRequest {
  /// Asks for the picture whose bytes arrive in a sequence, such as the body of an upload.
  ///
  /// The sequence is read once: take all pictures that you want of it in one call of `ImageManager.variants(of:as:)`.
  /// Nothing is cached. A `length` that is stated must be right.
  public init<Body: AsyncSequence & Sendable>(
    body: Body, length: Int? = nil, options: ImageOptions = [], context: ImageContext = []
  ) where Body.Element: Sequence, Body.Element.Element == UInt8 {
    var context = context
    context[.loader] = StreamLoader(body, length: length)
    // What the answer to one client is made of would only fill the caches.
    (context[.queryLayers], context[.storeLayers]) = ([], [])
    self.init("upload:body", options: options, context: context)
  }
}
