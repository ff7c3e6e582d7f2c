import EaselCore
import EaselService
import NIOHTTP1
import Vapor

/// The reason why a request gets no picture, as an error that Vapor answers with its status.
public struct PictureRefusal: AbortError {
  /// The error, with a message for the log.
  public let error: ImageError
  private let answer: ServiceResponse

  /// Takes an error of Easel.
  public init(_ error: ImageError) {
    self.error = error
    answer = ServiceResponse(error)
  }

  /// The status of the answer.
  public var status: HTTPResponseStatus { HTTPResponseStatus(statusCode: answer.status) }

  /// A sentence for the client, which says nothing of what is behind the server.
  public var reason: String {
    let text = answer.body.compactMap { try? $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }.joined()
    return text.trimmingCharacters(in: .newlines)
  }

  /// The fields that are not about the body, such as `Retry-After`.
  public var headers: NIOHTTP1.HTTPHeaders {
    var headers = NIOHTTP1.HTTPHeaders(answer.headers)
    for name in ["Content-Type", "Content-Length"] { headers.remove(name: name) }
    return headers
  }
}
