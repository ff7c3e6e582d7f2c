import EaselSupport
import FoundationEssentials

/// A request for a picture: its location, and the options for loading it.
///
/// A request that is kept and used again is prepared only once.
///
/// ```swift
/// var request = ImageRequest(url: url, context: [.transformer(.resize(width: 320))])
/// request.fallbackURLs = [file]
/// request.priority = .high
/// let image = try await manager.image(for: request)
/// ```
public struct ImageRequest: Sendable {
  /// The URL of the picture.
  ///
  /// Nil, as for malformed text, makes the load fail with `invalidURL`.
  public var url: URL? {
    get { if case .url(let url) = source { url } else { nil } }
    set { source = .url(newValue) }
  }
  package private(set) var source: Source { didSet { forgetResolution() } }
  /// Alternative URLs of the picture, tried in order when ``url`` fails.
  public var fallbackURLs: [URL] = [] { didSet { forgetResolution() } }
  /// The HTTP method.
  ///
  /// An unsafe method (any except `GET`, `HEAD`, `OPTIONS` and `TRACE`) may change something on the server. Such a
  /// request is always sent and shares no work, and its response is never cached. Unless the server fails, the manager
  /// removes the cached entries of the URL, and of URLs on the same origin that the response names.
  public var method = "GET" { didSet { forgetResolution() } }
  /// The body to send.
  public var body: Data? { didSet { forgetResolution() } }
  /// The options of the load.
  public var options: ImageOptions { didSet { forgetResolution() } }
  /// Plug-ins and settings for this load.
  public var context: ImageContext { didSet { forgetResolution() } }
  /// The priority; `lowPriority` and `highPriority` in the options override it.
  public var priority = LoadPriority.normal { didSet { forgetResolution() } }

  /// The slot in which a manager keeps its preparation of the request.
  package private(set) var slot = ResolutionSlot()

  /// Asks for the picture at a URL.
  ///
  /// ```swift
  /// let request = ImageRequest(url: url, options: .retryFailed, context: [.cachePolicy(.http)])
  /// ```
  public init(url: URL?, options: ImageOptions = [], context: ImageContext = []) {
    self.init(from: .url(url), options: options, context: context)
  }

  package init(from source: Source, options: ImageOptions, context: ImageContext) {
    self.source = source
    self.options = options
    self.context = context
  }

  /// Asks for the picture at a URL that is given as text.
  public init(_ text: String, options: ImageOptions = [], context: ImageContext = []) {
    self.init(url: text.isEmpty ? nil : URL(string: text), options: options, context: context)
  }

  /// The priority that the caller wants, before the options processor runs.
  package var statedPriority: LoadPriority { options.priority ?? priority }

  private mutating func forgetResolution() { slot = ResolutionSlot() }
}

extension ImageRequest {
  /// The source of a picture's bytes.
  package enum Source: Sendable {
    case url(URL?)
    case bytes(SuppliedBytes)
  }
}

/// Bytes that the caller passed in, for which nothing is loaded.
///
/// This is a class, so that bytes without a name are told apart by their object.
package final class SuppliedBytes: Sendable {
  /// The URL that stands for supplied bytes in errors.
  package static let url = URL(string: "bytes:")!

  package let bytes: ImageBytes
  package let name: String?

  package init(_ bytes: ImageBytes, name: String?) {
    self.bytes = bytes
    self.name = name
  }

  /// The origin of supplied bytes.
  ///
  /// The caller keeps the original, so only variants are stored.
  package var origin: ImageOrigin {
    ImageOrigin(
      key: Self.url.absoluteString, cacheIdentity: name == nil ? .instance : .named("bytes"), diskUse: .variantsOnly)
  }
}
