import AdapterStudio
import Easel
import EaselNIO
import EaselService
import EaselTestSupport
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@Suite(.serialized)
struct PictureHandlerTests {
  /// Runs a server whose own handler answers what is not for pictures.
  private static func serve(
    _ pictures: ImageService, _ body: (_ port: Int) async throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(PictureHandler(pictures))
          try channel.pipeline.syncOperations.addHandler(HelloHandler())
        }
      }
    let server = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
    do {
      try await body(server.localAddress!.port!)
    } catch {
      try await server.close()
      throw error
    }
    try await server.close()
  }

  @Test(arguments: ServerContract.Rule.ofRequests)
  func keepsTheContract(rule: ServerContract.Rule) async throws {
    try await ServerContract { studio, body in try await Self.serve(studio.pictures, body) }.check(rule)
  }

  @Test func aBodyIsRefusedAndEndsNothing() async throws {
    let studio = try AdapterStudio()
    try await Self.serve(studio.pictures) { port in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path, length: 4) + "body")
      client.send(LoopbackClient.head("/pictures/health", isLast: true))
      let text = await client.receive().text
      #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["413", "200"])
    }
  }

  @Test func buffersAreTheBody() async throws {
    let file = "/tmp/easel-buffers-\(UInt64.random(in: .min ... .max))"
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    defer { try? FileManager.default.removeItem(atPath: file) }
    let response = ServiceResponse(
      status: 200, body: [ImageBytes([1, 2]), ImageBytes([]), try ImageBytes(contentsOfFile: file), ImageBytes([3])])
    #expect(response.bufferAtHand == nil)
    var seen: [[UInt8]] = []
    for try await buffer in response.buffers { seen.append(Array(buffer.readableBytesView)) }
    #expect(seen.map(\.count) == [2, 131_072, 131_072, 37_856, 1])
    #expect(seen.flatMap { $0 } == [1, 2] + bytes + [3])
    let atHand = ServiceResponse(status: 200, body: [ImageBytes([1]), ImageBytes([2])]).bufferAtHand
    #expect(atHand == ByteBuffer(bytes: [1, 2]))
  }
}

/// Answers `/hello`, and nothing else.
private final class HelloHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var request: HTTPRequestHead?

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): request = head
    case .body: break
    case .end:
      guard let request else { return }
      let body = ByteBuffer(string: request.uri == "/hello" ? "hello" : "")
      let head = HTTPResponseHead(
        version: .http1_1, status: request.uri == "/hello" ? .ok : .notFound,
        headers: ["Content-Length": "\(body.readableBytes)"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      if !request.isKeepAlive { context.close(promise: nil) }
    }
  }
}
