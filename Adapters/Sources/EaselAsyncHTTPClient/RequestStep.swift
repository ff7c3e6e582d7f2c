import AsyncHTTPClient
import EaselCore
import EaselCurl
import EaselNIO
import FoundationEssentials
import NIOCore
import NIOHTTP1

/// One request of a load: the first one, or one after a redirect.
struct RequestStep {
  private(set) var url: URL
  /// The heads of the redirects that led here.
  private(set) var redirects: [ResponseHead] = []

  private let original: LoadRequest
  private var method: String
  private var headers: EaselCore.HTTPHeaders
  private var body: Data?
  /// True if one of the redirects led to another scheme, host or port.
  private var isForeign = false

  private static let conditions = ["If-None-Match", "If-Modified-Since"]

  init(_ original: LoadRequest, _ configuration: HTTPClientLoader.Configuration) throws(ImageError) {
    self.original = original
    (url, method, body) = (original.url, original.method, original.body)
    headers = configuration.headers
    headers.merge(original.headers)
    // The client may be one that does not unpack.
    if headers["Accept-Encoding"] == nil { headers["Accept-Encoding"] = "identity" }
    guard Origin(url) != nil else {
      throw ImageError(
        .unsupportedURL, "The loader supports only http and https URLs with a host.", subject: url.absoluteString)
    }
    guard method.uppercased() != "CONNECT" else {
      throw ImageError(
        .invalidRequest, "CONNECT asks for a tunnel, which brings no picture.", subject: url.absoluteString)
    }
    fitConditions()
  }

  /// True when the request asks for the body only if it has changed.
  var isConditional: Bool { Self.conditions.contains { headers[$0] != nil } }

  /// True when the load asks so, of whatever URL.
  var wasConditional: Bool { Self.conditions.contains { original.headers[$0] != nil } }

  /// True when the answer has a body.
  var mayHaveBody: Bool { method != "HEAD" }

  var byteLimit: Int { original.byteLimit }

  /// The request as the client takes it.
  var request: HTTPClientRequest {
    var request = HTTPClientRequest(url: url.absoluteString)
    request.method = HTTPMethod(rawValue: method)
    request.headers = NIOHTTP1.HTTPHeaders(headers)
    if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
    return request
  }

  /// The http or https URL to which a response redirects; nil if it does not.
  func redirectTarget(_ head: ResponseHead) throws(ImageError) -> URL? {
    let locations = Set(head.headers.values(of: "Location").filter { !$0.isEmpty })
    guard [301, 302, 303, 307, 308].contains(head.status), let location = locations.first else { return nil }
    func fault(_ code: ImageError.Code, _ message: String) -> ImageError {
      ImageError(code, message, subject: url.absoluteString, response: head)
    }
    guard locations.count == 1 else { throw fault(.network, "The server redirects to several URLs at once.") }
    guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
      throw fault(.network, "The server redirects to \"\(location.prefix(200))\", which is not a URL.")
    }
    guard Origin(target) != nil else {
      throw fault(
        .unsupportedURL, "The server redirects to \(location.prefix(200)), but only http and https are followed.")
    }
    return target
  }

  /// Goes where a redirect leads, with the fields that are not secret there.
  mutating func follow(
    _ head: ResponseHead, to target: URL, _ configuration: HTTPClientLoader.Configuration
  ) async throws {
    guard redirects.count < configuration.maximumRedirects else {
      throw ImageError(
        .network, "The server redirects more than \(configuration.maximumRedirects) times (maximumRedirects).",
        subject: original.url.absoluteString)
    }
    if let mayFollow = configuration.mayFollow, try await !mayFollow(url, target) {
      throw ImageError(
        .network, "The redirect from \(url) to \(target) was refused.", subject: original.url.absoluteString)
    }
    isForeign = isForeign || Origin(url) != Origin(target)
    url = target
    redirects.append(head)
    fitConditions()
    let becomesGet =
      head.status == 303 ? method != "HEAD" : (head.status == 301 || head.status == 302) && method == "POST"
    if becomesGet {
      (method, body) = ("GET", nil)
      for name in ["Content-Type", "Content-Length", "Content-Encoding"] { headers[name] = nil }
    }
    if isForeign { headers = headers.forAnyone(hasBody: body != nil, and: configuration.headersForAnyone) }
  }

  /// Keeps conditional fields only for the URL that they are about; at another URL they would describe another body.
  private mutating func fitConditions() {
    guard !redirects.isEmpty || original.validatedURL != nil else { return }
    let isSubject = url.absoluteString == (original.validatedURL ?? original.url).absoluteString
    for name in Self.conditions { headers[name] = isSubject ? original.headers[name] : nil }
  }
}
