import EaselCore
import EaselService
import NIOHTTP1

extension NIOHTTP1.HTTPHeaders {
  /// Takes the fields of Easel.
  public init(_ headers: EaselCore.HTTPHeaders) { self.init(headers.fields.map { ($0.name, $0.value) }) }
}

extension EaselCore.HTTPHeaders {
  /// Takes the fields of a request or a response.
  public init(_ headers: NIOHTTP1.HTTPHeaders) { self.init(headers.map { ($0.name, $0.value) }) }
}

extension ServiceRequest {
  /// Takes the head of a request; its path stays as it was sent, which signatures need.
  public init(_ head: HTTPRequestHead, clientAddress: String? = nil) {
    let length = head.headers.first(name: "Content-Length")
    self.init(
      method: head.method.rawValue, target: head.uri, headers: EaselCore.HTTPHeaders(head.headers),
      hasBody: (length.map { $0 != "0" } ?? false) || head.headers.contains(name: "Transfer-Encoding"),
      clientAddress: clientAddress)
  }
}

extension HTTPResponseHead {
  /// Takes the head of a response.
  public init(_ response: ServiceResponse, version: HTTPVersion = .http1_1) {
    self.init(
      version: version, status: HTTPResponseStatus(statusCode: response.status),
      headers: NIOHTTP1.HTTPHeaders(response.headers))
  }
}
