import FoundationEssentials

/// What is kept of a server's answer to judge later whether it may still be used.
public struct ResponseRecord: Hashable, Sendable, Codable {
  /// The status.
  public var status: Int
  /// The header fields of the response, without those of the connection that it came on.
  public var headers: HTTPHeaders
  /// When the request was sent.
  public var requested: Date
  /// When the response came.
  public var received: Date
  /// The values of the request's fields that the response says it varies with, except of those that are in its key.
  public var varyingFields: HTTPHeaders
  /// The URL that answered, where redirects led to it; else nil.
  public var redirectedURL: URL?
  /// Until when the redirects that led to it may be taken to lead there still; nil for ever.
  public var redirectsExpire: Date?

  /// Creates a record.
  public init(
    status: Int, headers: HTTPHeaders, requested: Date, received: Date, varyingFields: HTTPHeaders = [:]
  ) {
    self.status = status
    self.headers = headers
    self.requested = requested
    self.received = received
    self.varyingFields = varyingFields
  }

  /// What is left of the head of the response.
  var head: ResponseHead { ResponseHead(url: redirectedURL, status: status, headers: headers) }
}
