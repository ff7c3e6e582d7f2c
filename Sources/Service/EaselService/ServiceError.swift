import EaselCore

/// The reason why a request gets no picture.
///
/// ```swift
/// throw ServiceError(400, "The width must be a whole number from 1 to 4000, not 'wide'.")
/// ```
public struct ServiceError: Error, Hashable {
  /// The status code of the response.
  public var status: Int
  /// One sentence for whoever sent the request; it says what is wrong and what is allowed.
  public var message: String
  /// The seconds after which the request can be sent again; nil when nothing is known.
  package var retryAfter: Int?
  /// The code of the error of the pipeline; nil if the request did not come so far.
  package var code: ImageError.Code?
  /// The limit of the library that is to blame, such as `Limits.framePixels`; nil for none.
  package var limit: String?
  /// The source that the request named, for the log.
  package var source: String?
  /// The time from which the URL of the request is not valid any more, in seconds since 1970.
  package var expires: Int?
  /// The whole error of the pipeline, for operators.
  package var details: String?

  /// Combines a status with a sentence for whoever sent the request.
  public init(_ status: Int, _ message: String) { self.init(status, message, retryAfter: nil) }

  package init(_ status: Int, _ message: String, retryAfter: Int?) {
    self.status = status
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The same error with what is known of the request.
  func about(_ order: ImageOrder) -> ServiceError {
    var error = self
    (error.source, error.expires) = (order.source, order.expires)
    return error
  }
}
