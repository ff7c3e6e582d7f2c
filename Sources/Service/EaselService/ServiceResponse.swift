import EaselCore

/// The head and the body of an HTTP response, ready to be sent.
///
/// ```swift
/// let busy = ServiceResponse(status: 503, headers: ["Retry-After": "1"])
/// print(busy.status, busy.headers["Retry-After"] ?? "")
/// ```
public struct ServiceResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The fields of the head; `Content-Length` is among them.
  public var headers: HTTPHeaders { didSet { prepared = nil } }
  /// The slices of the body in order; none if the body must not be sent.
  public var body: [ImageBytes]

  package var details = ResponseDetails()
  /// The fields with which the head begins, if other answers have them too, and nobody has changed the head.
  package private(set) var prepared: PreparedFields?

  /// Combines a status with fields and the parts of a body.
  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [ImageBytes] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Answers with fields that were prepared, and some more.
  package init(_ prepared: PreparedFields, adding fields: [(String, String)], body: [ImageBytes]) {
    var headers = prepared.headers
    for (name, value) in fields { headers.add(name, value) }
    self.init(status: 200, headers: headers, body: body)
    self.prepared = prepared
  }
}
