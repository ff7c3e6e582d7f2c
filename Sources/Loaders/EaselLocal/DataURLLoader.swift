import EaselCore
import EaselSupport
import EaselWorkers
import FoundationEssentials

/// Loads `data:` URLs, in base64 or percent-encoded.
///
/// The cache key of such a picture is `data:` and the SHA-256 of the URL. A disk cache stores nothing of it.
///
/// Base64 may lack its padding, and may contain escaped blanks. The alphabet with `-` and `_` is refused, as in
/// browsers. If `URL(string:)` finds characters that a URL must not contain, it escapes them and also every percent
/// sign. If your text has both, escape those characters before you make a URL.
public struct DataURLLoader: ImageLoader {
  private let workers: WorkerSet

  /// Creates a loader, which needs no settings because the picture is in the URL.
  public init() { self.init(workers: .pixels) }

  init(workers: WorkerSet) { self.workers = workers }

  /// Plain, because the key alone identifies the bytes.
  public var cacheIdentity: CacheIdentity { .plain }

  /// Accepts every URL with the scheme `data`.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == "data" }

  /// Names the picture by the hash of the URL, and keeps it in memory only.
  public func origin(of url: URL) -> ImageOrigin {
    var text = url.absoluteString
    return ImageOrigin(key: "data:" + text.withUTF8 { hexadecimal(SHA256.hash($0)) }, diskUse: .nothing)
  }

  /// Decodes the URL, and returns the bytes.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let (bytes, head) = try await workers.run(at: request.priority) { try Self.decoded(request) }
    return .bytes(bytes, head)
  }

  private static func decoded(_ request: LoadRequest) throws -> (ImageBytes, ResponseHead) {
    var text = request.url.absoluteString
    return try text.withUTF8 { text in
      let url = try DataURL(text)
      let bytes = try url.decoded(atMost: request.byteLimit, subject: DataURL.excerpt(of: text))
      let head = ResponseHead(
        url: request.url, headers: ["Content-Type": url.mediaType], expectedLength: bytes.count)
      return (ImageBytes(bytes), head)
    }
  }
}
