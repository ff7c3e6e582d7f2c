import EaselCore
import FoundationEssentials

/// Loads `data:` URLs, in base64 or percent-encoded.
///
/// The key of such a picture is `data:` and the SHA-256 of the URL, and nothing of it goes to a disk.
///
/// Base64 may lack its padding and hold blanks, both as escapes; the alphabet with `-` and `_` is refused, as browsers
/// refuse it. `URL(string:)` escapes what a URL must not hold, and then every percent sign of the text as well: a text
/// that has both must be escaped before.
public struct DataURLLoader: ImageLoader {
  private let workers: WorkerSet

  /// Creates a loader.
  public init() { self.init(workers: .pixels) }

  init(workers: WorkerSet) { self.workers = workers }

  /// Empty: the key alone says which bytes they are.
  public var cacheIdentity: String? { "" }

  /// Takes every URL with the scheme `data`.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == "data" }

  /// Named by the hash of the URL, and kept in memory only.
  public func origin(of url: URL) -> ImageOrigin {
    var text = url.absoluteString
    return ImageOrigin(key: "data:" + text.withUTF8 { hexadecimal(SHA256.hash($0)) }, diskUse: .nothing)
  }

  /// Hands the decoded bytes over.
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
