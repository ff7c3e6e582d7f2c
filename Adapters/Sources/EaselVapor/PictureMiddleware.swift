import EaselCore
import EaselNIO
import EaselService
import NIOHTTP1
import Vapor

/// Answers the requests whose paths belong to a picture service, and hands all others on.
///
/// `Application.serve(_:)` adds it. A picture in memory is answered at once. Other work ends when its client leaves, and
/// the connection stays open for the next request otherwise.
public struct PictureMiddleware: Middleware {
  private let pictures: ImageService
  private let start: String

  /// Takes the service, and with it the beginning of its paths.
  public init(_ pictures: ImageService) {
    self.pictures = pictures
    start = pictures.pathPrefix + "/"
  }

  /// Answers a request for a picture.
  public func respond(to request: Request, chainingTo next: any Responder) -> EventLoopFuture<Response> {
    let target = request.url.string
    guard target.hasPrefix(start) else { return next.respond(to: request) }
    let head = HTTPRequestHead(
      version: request.version, method: request.method, uri: target, headers: request.headers)
    let wanted = ServiceRequest(head, clientAddress: request.remoteAddress?.ipAddress)
    if let known = pictures.immediateResponse(to: wanted) {
      // An answer within this call can cost a client its next request: Vapor takes that one in while it writes the answer,
      // before it is done with this request.
      return request.eventLoop.submit { Response(known) }
    }
    let answer = request.eventLoop.makePromise(of: Response.self)
    answer.completeWithTask { [pictures] in
      do {
        return try await request.watched { Response(await pictures.response(to: wanted)) }
      } catch {
        // Nobody reads it; an error would be counted as one of the server.
        return Response(status: .custom(code: 499, reasonPhrase: "Client Closed Request"))
      }
    }
    return answer.futureResult
  }
}

extension Response {
  /// Takes the answer of a picture service; its body is read while it is sent.
  public convenience init(_ response: ServiceResponse) {
    let body: Body
    if let whole = response.bufferAtHand {
      body = Body(buffer: whole)
    } else {
      body = Body(
        managedAsyncStream: { writer in
          for try await buffer in response.buffers { try await writer.writeBuffer(buffer) }
        }, count: response.body.reduce(0) { $0 + $1.count })
    }
    // An answer without a body may state the length of the picture.
    self.init(
      status: HTTPResponseStatus(statusCode: response.status), version: .http1_1,
      headersNoUpdate: NIOHTTP1.HTTPHeaders(response.headers), body: body)
  }
}
