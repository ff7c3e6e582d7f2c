import EaselTestSupport
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A server of NIO that answers as a test says, and remembers what it was asked.
final class OriginServer: Sendable {
  /// An answer.
  struct Answer: Sendable {
    var status = HTTPResponseStatus.ok
    var headers: HTTPHeaders = [:]
    var body: [UInt8] = []
    /// The way in which the answer ends.
    var end = End.whole

    enum End: Sendable {
      case whole
      /// Nothing more comes, and the connection stays open.
      case silent
      /// The connection closes, whatever the head has promised.
      case broken
    }

    static func redirect(to place: String, _ status: HTTPResponseStatus = .found) -> Answer {
      Answer(status: status, headers: ["Location": place, "Content-Length": "0"])
    }

    static func bytes(_ body: [UInt8], _ headers: HTTPHeaders = [:]) -> Answer {
      var headers = headers
      headers.add(name: "Content-Length", value: "\(body.count)")
      return Answer(headers: headers, body: body)
    }
  }

  /// The requests and the ends of connections that a server has seen.
  final class Record: Sendable {
    fileprivate let heads = Mutex<[HTTPRequestHead]>([])
    /// Opens when a connection has ended.
    let connectionHasEnded = AsyncGate()
    /// Opens when something was asked.
    let wasAsked = AsyncGate()

    var requests: [HTTPRequestHead] { heads.withLock { $0 } }
  }

  let record: Record
  private let listening: any Channel

  /// Begins to listen.
  init(_ answer: @escaping @Sendable (HTTPRequestHead) -> Answer) async throws {
    let record = Record()
    self.record = record
    listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(AnsweringHandler(record: record, answer: answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// The URL of a path.
  func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(listening.localAddress!.port!)\(path)")! }

  /// Ends the server.
  func close() async throws { try await listening.close() }
}

private final class AnsweringHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let record: OriginServer.Record
  private let answer: @Sendable (HTTPRequestHead) -> OriginServer.Answer
  private var head: HTTPRequestHead?

  init(record: OriginServer.Record, answer: @escaping @Sendable (HTTPRequestHead) -> OriginServer.Answer) {
    self.record = record
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body: break
    case .end:
      guard let head else { return }
      record.heads.withLock { $0.append(head) }
      record.wasAsked.open()
      send(answer(head), to: head, context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) { record.connectionHasEnded.open() }

  private func send(_ answer: OriginServer.Answer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if answer.end == .silent, answer.body.isEmpty { return }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
    }
    switch answer.end {
    case .whole: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    case .silent: context.flush()
    case .broken:
      context.flush()
      context.close(promise: nil)
    }
  }
}
