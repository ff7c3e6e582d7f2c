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
  private func serve(
    _ pictures: ImageService, _ body: (_ port: Int) async throws -> Void
  ) async throws {
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(PictureHandler(pictures))
          try channel.pipeline.syncOperations.addHandler(TeapotHandler())
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

  @Test func answersWhatIsForPicturesAndPassesTheRest() async throws {
    let studio = try AdapterStudio()
    try await serve(studio.pictures) { port in
      let made = try await LoopbackClient.get(AdapterStudio.path, from: port)
      #expect(made.status == 200 && made.header("Content-Type") == "image/png")
      let header = try PNGCoder().probe(ImageBytes(made.body), work: WorkContext())
      #expect(header.storedSize == PixelSize(width: 8, height: 6))
      // The second time it is in memory.
      #expect(try await LoopbackClient.get(AdapterStudio.path, from: port).body == made.body)
      #expect(studio.loader.callCount == 1)
      #expect(try await LoopbackClient.get(AdapterStudio.path, from: port, method: "HEAD").body.isEmpty)
      #expect(try await LoopbackClient.get("/pictures/unsafe/nonsense", from: port).status == 400)
      #expect(try await LoopbackClient.get("/picturesque", from: port).status == 418)
    }
  }

  @Test func oneConnectionTakesManyRequests() async throws {
    let studio = try AdapterStudio()
    try await serve(studio.pictures) { port in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path) + LoopbackClient.head("/tea"))
      client.send(LoopbackClient.head("/pictures/health", isLast: true))
      let text = await client.receive().text
      #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "418", "200"])
      #expect(text.hasSuffix("ok\n"))
    }
  }

  @Test func aBodyIsRefusedAndEndsNothing() async throws {
    let studio = try AdapterStudio()
    try await serve(studio.pictures) { port in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path, length: 4) + "body")
      client.send(LoopbackClient.head("/pictures/health", isLast: true))
      let text = await client.receive().text
      #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["413", "200"])
    }
  }

  @Test func aClientThatLeavesEndsItsWork() async throws {
    let studio = try AdapterStudio()
    studio.loader.suspend(AdapterStudio.source)
    try await serve(studio.pictures) { port in
      let client = try RawClient(port: port)
      client.send(LoopbackClient.head(AdapterStudio.path))
      await studio.loader.waitUntilSuspended(AdapterStudio.source)
      client.close()
      await studio.waitForCancellation()
      #expect(studio.loader.callCount == 1)
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

/// Answers 418 to everything.
private final class TeapotHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private var isLast = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): isLast = !head.isKeepAlive
    case .body: break
    case .end:
      let head = HTTPResponseHead(version: .http1_1, status: .imATeapot, headers: ["Content-Length": "0"])
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      if isLast { context.close(promise: nil) }
    }
  }
}
