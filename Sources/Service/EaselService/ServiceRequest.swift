import EaselCore

/// The head of an HTTP request, as a listener has read it.
///
/// ```swift
/// let path = "/unsafe/w:320/plain/https://example.com/cat.jpg"
/// let request = ServiceRequest(target: path, headers: ["Accept": "image/webp,*/*"])
/// ```
public struct ServiceRequest: Sendable {
  /// The method, such as `GET`.
  public var method: String
  /// The path and the query as they were sent, with every percent sign in place.
  public var target: String
  /// The fields of the head.
  public var headers: HTTPHeaders
  /// True when the request brings a body, which is never read.
  public var hasBody: Bool
  /// The name of the request in logs and errors; nil to make one.
  public var id: String?

  /// The address of the client, for the log and for sharing the work evenly among clients; nil if it is not known.
  public var clientAddress: String?

  /// True if it was counted for its client when an answer without waiting was asked for.
  package var isCounted = false

  /// Takes the head of a request as it was sent.
  public init(
    method: String = "GET", target: String, headers: HTTPHeaders = HTTPHeaders(), hasBody: Bool = false,
    id: String? = nil, clientAddress: String? = nil
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.hasBody = hasBody
    self.id = id
    self.clientAddress = clientAddress
  }
}
