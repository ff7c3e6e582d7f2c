import EaselCore
import EaselTestSupport
import FoundationEssentials

/// The minimum of HTTP for testing the manager's cache: one connection for each request, no redirects.
struct PlainLoader: ImageLoader {
  var cacheIdentity: CacheIdentity { .plain }

  func canLoad(_ url: URL) -> Bool { url.scheme == "http" }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let query = request.url.query().map { "?\($0)" } ?? ""
    let answer = try await RawClient.get(
      request.url.path() + query, from: request.url.port ?? 80, method: request.method,
      headers: request.headers.fields.map { "\($0.name): \($0.value)" })
    guard let status = answer.status else {
      throw ImageError(.network, "The server broke off.", subject: request.url.absoluteString)
    }
    let head = ResponseHead(
      url: request.url, status: status, headers: answer.headers,
      expectedLength: answer.headers["Content-Length"].flatMap { Int($0) })
    if status == 304 { return .notModified(head) }
    if try !sink.beginAtOnce(head) { try await sink.begin(head) }
    _ = answer.body.withUnsafeBytes { sink.append($0) }
    return .body(nil)
  }
}
