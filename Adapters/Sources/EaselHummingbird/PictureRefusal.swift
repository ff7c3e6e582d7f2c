import EaselCore
import EaselService
import HTTPTypes
import Hummingbird

/// The reason why a request gets no picture, as an error that Hummingbird answers with its status.
public struct PictureRefusal: HTTPResponseError {
  /// The error, with a message for the log.
  public let error: ImageError

  /// Takes an error of Easel.
  public init(_ error: ImageError) { self.error = error }

  /// The status of the answer.
  public var status: HTTPResponse.Status { HTTPResponse.Status(code: ServiceResponse(error).status) }

  /// The answer, which says nothing of what is behind the server.
  public func response(from request: Request, context: some RequestContext) -> Response {
    Response(ServiceResponse(error))
  }
}
