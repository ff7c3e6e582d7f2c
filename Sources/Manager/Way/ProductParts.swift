import EaselCore
import EaselSupport
import FoundationEssentials

/// The kinds of results that a load can have.
enum Goal: Sendable {
  /// A picture.
  case picture
  /// A picture as bytes in the form of the request's recipe.
  case encoded
  /// The bytes of the original, decrypted but not decoded.
  case original
}

/// The result of a run, before it is adapted to each caller.
typealias Product = Boxed<ProductParts>

struct ProductParts: Sendable {
  /// The content of a result.
  enum Content: Sendable {
    /// A picture, and the encoded bytes of exactly these pixels if they are available.
    case picture(Image, bytes: ImageBytes?)
    case encoded(EncodingResult)
    case original(ImageBytes)
  }

  var content: Content
  var source: ImageEvent.Source
  var record: CacheRecord
  var head: ResponseHead?
  var metrics: LoadResult.Metrics?
  /// The reason why a refresh failed and the cached result was used instead.
  var revalidationError: ImageError?
  /// The stores that are still running.
  var stores: [Task<Void, Never>] = []

  /// The picture of a load for a picture, and its bytes.
  var picture: (image: Image, bytes: ImageBytes?) {
    guard case .picture(let image, let bytes) = content else { preconditionFailure("The load asked for no picture.") }
    return (image, bytes)
  }

  /// The bytes of a load for an encoded picture.
  var encoded: EncodingResult {
    guard case .encoded(let encoded) = content else { preconditionFailure("The load asked for no encoded bytes.") }
    return encoded
  }

  /// The bytes of a load for the original.
  var original: ImageBytes {
    guard case .original(let bytes) = content else { preconditionFailure("The load asked for no original.") }
    return bytes
  }

  /// True unless the result is incomplete.
  var isWhole: Bool {
    switch content {
    case .picture(let image, _): !image.traits.contains(.partial)
    case .encoded(let encoded): !encoded.isPartial
    case .original: true
    }
  }
}

extension ProductParts {
  /// Creates a result that was made from an original with this record.
  init(_ content: Content, from source: ImageEvent.Source, _ original: CacheRecord, for request: ResolvedRequest) {
    self.init(content: content, source: source, record: original)
    if let data = request.context[.extendedData] { record.extendedData = data }
    guard case .encoded(let encoded) = content else { return }
    record.mimeType = encoded.format.mimeType
    record.encodedSize = encoded.size
    record.picture = nil
  }
}

/// Encoded bytes with the size of the picture in them.
struct EncodingResult: Sendable {
  let bytes: ImageBytes
  let format: ImageFormat
  /// The size of the picture that the bytes contain.
  let size: PixelSize
  /// True when these are the bytes of the original.
  var isUntouched = false
  /// True when only a part of the picture could be decoded.
  var isPartial = false

  /// The result with its bytes in memory.
  func loaded() throws(ImageError) -> EncodingResult {
    EncodingResult(
      bytes: try bytes.loaded(), format: format, size: size, isUntouched: isUntouched, isPartial: isPartial)
  }
}

extension ImageEvent.Source {
  /// The source of a result from this layer.
  init(_ layer: CacheLayers) { self = layer == .memory ? .memory : layer == .shared ? .shared : .disk }
}
