import EaselCore
import EaselCurl
import FoundationEssentials

/// Loads URLs such as `s3://bucket/key`, or `gs://bucket/key` with the settings of Google Cloud Storage.
///
/// As over http, cut transfers are resumed, and stored pictures are revalidated by their tag.
///
/// ```swift
/// configuration.loader = LoaderChain([S3Loader(S3Configuration(region: "eu-central-1")), CurlLoader()])
/// ```
public final class S3Loader: ImageLoader {
  private let client: S3Client

  /// Creates a loader of `s3:` URLs, or of `gs:` URLs with the settings of Google Cloud Storage.
  public init(_ configuration: S3Configuration = S3Configuration()) {
    client = S3Client(configuration, resumeStore: CurlLoader.ResumeStore())
  }

  /// Names the server and the source of the credentials, because these decide which objects may be read.
  public var cacheIdentity: CacheIdentity { .named(client.configuration.identity) }

  /// True for URLs of the scheme `s3`, or `gs` for Google Cloud Storage.
  public func canLoad(_ url: URL) -> Bool { url.scheme?.lowercased() == client.configuration.scheme }

  /// Loads an object, and passes it to the sink.
  public func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let scheme = client.configuration.scheme
    guard let location = S3Location(request.url, scheme: scheme) else {
      throw ImageError(
        .invalidURL, "An object of a bucket is written \(scheme)://bucket/key.", subject: request.url.absoluteString)
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      throw ImageError(
        .invalidRequest, "Objects of buckets are only read here, by GET or HEAD.", subject: request.url.absoluteString)
    }
    let outgoing = S3Client.Request(location: location, method: request.method, headers: request.headers)
    return try await client.load(
      outgoing, limit: request.byteLimit, key: request.key, context: request.context, priority: request.priority
    ) { sink }
  }
}
