import EaselCore
import EaselHTTPTypes
import EaselNIO
import EaselService
import HTTPTypes
import Hummingbird

/// Answers the requests whose paths belong to a picture service, and hands all others on.
///
/// ```swift
/// let router = Router(context: PictureRequestContext.self)
/// router.add(middleware: PictureMiddleware(pictures))
/// ```
///
/// A picture in memory is answered at once. Other work ends when its client leaves, and the connection stays open for the
/// next request otherwise.
public struct PictureMiddleware<Context: PictureContext>: RouterMiddleware {
  private let pictures: ImageService
  private let start: String

  /// Takes the service, and with it the beginning of its paths.
  public init(_ pictures: ImageService) {
    self.pictures = pictures
    start = pictures.pathPrefix + "/"
  }

  /// Answers a request for a picture.
  public func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard request.head.path?.hasPrefix(start) == true else { return try await next(request, context) }
    // Metrics and traces name requests by their route.
    context.coreContext.endpointPath.value = start + "**"
    let wanted = ServiceRequest(request.head, clientAddress: context.channel.remoteAddress?.ipAddress)
    if let known = pictures.immediateResponse(to: wanted) { return Response(known) }
    return try await ClientWatch.run(on: context.channel) { [pictures] in
      Response(await pictures.response(to: wanted))
    }
  }
}

extension Response {
  /// Takes the answer of a picture service; its body is read while it is sent.
  public init(_ response: ServiceResponse) {
    let status = HTTPResponse.Status(code: response.status)
    let fields = HTTPFields(response.headers)
    if let whole = response.bufferAtHand {
      self.init(status: status, headers: fields, body: ResponseBody(byteBuffer: whole))
    } else {
      let length = response.body.reduce(0) { $0 + $1.count }
      let body = ResponseBody(contentLength: length) { writer in
        for try await buffer in response.buffers { try await writer.write(buffer) }
        try await writer.finish(nil)
      }
      self.init(status: status, headers: fields, body: body)
    }
    // Hummingbird adds the length of the body, which is none here, where HTTP means that of the unchanged picture.
    if status == .notModified { headers[.contentLength] = fields[.contentLength] }
  }
}
