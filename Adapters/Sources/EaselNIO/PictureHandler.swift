import EaselCore
import EaselService
import NIOCore
import NIOHTTP1

/// Answers the requests of a channel whose paths belong to a picture service, and passes all others on.
///
/// It stands behind NIO's handlers for HTTP/1, and before the program's own:
///
/// ```swift
/// try channel.pipeline.syncOperations.configureHTTPServerPipeline()
/// try channel.pipeline.syncOperations.addHandler(PictureHandler(pictures))
/// ```
///
/// The event loop answers only what is known at once, so nothing blocks it: everything else is made by tasks and by
/// threads of Easel. A client that leaves ends the work for it.
public final class PictureHandler: ChannelInboundHandler, RemovableChannelHandler {
  /// Parts of requests come in.
  public typealias InboundIn = HTTPServerRequestPart
  /// Parts of requests that are not for pictures go on.
  public typealias InboundOut = HTTPServerRequestPart
  /// Parts of responses go out.
  public typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case idle
    /// The head of a request for a picture has arrived, and its end has not.
    case reading(HTTPRequestHead)
    /// A request for something else passes.
    case passing
    /// The client waits for this answer.
    case answering(Task<Void, Never>)
  }

  private let pictures: ImageService
  private let start: String
  private var state = State.idle

  /// Takes the service, and with it the beginning of its paths.
  public init(_ pictures: ImageService) {
    self.pictures = pictures
    start = pictures.pathPrefix + "/"
  }

  /// Takes what belongs to requests for pictures.
  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (.head(let head), _) where head.uri.hasPrefix(start): state = .reading(head)
    case (.head, _):
      state = .passing
      context.fireChannelRead(data)
    case (.body, .passing): context.fireChannelRead(data)
    case (.end, .passing):
      state = .idle
      context.fireChannelRead(data)
    // The service refuses a request with a body, whatever is in it.
    case (.body, _): break
    case (.end, .reading(let head)): answer(head, context)
    case (.end, _): break
    }
  }

  /// Ends the work for a client that has left.
  public func channelInactive(context: ChannelHandlerContext) {
    leave()
    context.fireChannelInactive()
  }

  /// Ends the work for a client that has closed its side.
  public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent { leave() }
    context.fireUserInboundEventTriggered(event)
  }

  /// Ends the work when the handler goes.
  public func handlerRemoved(context: ChannelHandlerContext) { leave() }

  private func leave() {
    if case .answering(let task) = state { task.cancel() }
  }

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let request = ServiceRequest(head, clientAddress: context.remoteAddress?.ipAddress)
    let keepsAlive = head.isKeepAlive
    if let known = pictures.immediateResponse(to: request), let body = known.bufferAtHand {
      state = .idle
      context.write(wrapOutboundOut(.head(HTTPResponseHead(known, to: head))), promise: nil)
      if body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
      finish(context, keepsAlive)
      return
    }
    let writer = ResponseWriter(
      bound: NIOLoopBound((self, context), eventLoop: context.eventLoop), eventLoop: context.eventLoop)
    state = .answering(writer.answer(request, head, by: pictures))
  }

  fileprivate func finish(_ context: ChannelHandlerContext, _ keepsAlive: Bool) {
    state = .idle
    let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
    guard !keepsAlive else { return }
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    written.whenComplete { _ in bound.value.close(promise: nil) }
  }
}

extension HTTPResponseHead {
  /// The head of a response that says what its request needs to know of the connection.
  fileprivate init(_ response: ServiceResponse, to request: HTTPRequestHead) {
    self.init(response, version: request.version)
    if !request.isKeepAlive {
      headers.replaceOrAdd(name: "Connection", value: "close")
    } else if request.version.minor == 0 {
      headers.replaceOrAdd(name: "Connection", value: "keep-alive")
    }
  }
}

/// Writes an answer from a task; each write waits until the client has taken it.
private struct ResponseWriter: Sendable {
  let bound: NIOLoopBound<(PictureHandler, ChannelHandlerContext)>
  let eventLoop: any EventLoop

  func answer(
    _ request: ServiceRequest, _ head: HTTPRequestHead, by pictures: ImageService
  ) -> Task<Void, Never> {
    Task { await send(await pictures.response(to: request), to: head) }
  }

  private func send(_ response: ServiceResponse, to request: HTTPRequestHead) async {
    guard !Task.isCancelled else { return close() }
    let head = HTTPResponseHead(response, to: request)
    do {
      try await write { .head(head) }
      for try await buffer in response.buffers { try await write { .body(.byteBuffer(buffer)) } }
      finish(request.isKeepAlive)
    } catch {
      // The head promised bytes that cannot be sent.
      close()
    }
  }

  private func write(_ part: @escaping @Sendable () -> HTTPServerResponsePart) async throws {
    try await eventLoop.flatSubmit { [bound] in
      let (handler, context) = bound.value
      return context.writeAndFlush(handler.wrapOutboundOut(part()))
    }.get()
  }

  private func finish(_ keepsAlive: Bool) {
    eventLoop.execute { [bound] in
      let (handler, context) = bound.value
      handler.finish(context, keepsAlive)
    }
  }

  private func close() {
    eventLoop.execute { [bound] in bound.value.1.close(promise: nil) }
  }
}
