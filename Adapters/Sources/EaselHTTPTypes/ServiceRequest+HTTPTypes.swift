import EaselCore
import EaselService
import HTTPTypes

extension ServiceRequest {
  /// Takes the head of a request; its path stays as it was sent, which signatures need.
  ///
  /// Without `hasBody` its fields say whether there is a body.
  public init(_ request: HTTPRequest, hasBody: Bool? = nil, clientAddress: String? = nil) {
    let length = request.headerFields[.contentLength]
    self.init(
      method: request.method.rawValue, target: request.path ?? "/", headers: HTTPHeaders(request.headerFields),
      hasBody: hasBody ?? ((length.map { $0 != "0" } ?? false) || request.headerFields[.transferEncoding] != nil),
      clientAddress: clientAddress)
  }
}

extension HTTPResponse {
  /// Takes the head of a response; ``ServiceResponse/parts`` is its body.
  public init(_ response: ServiceResponse) {
    self.init(status: .init(code: response.status), headerFields: HTTPFields(response.headers))
  }
}
