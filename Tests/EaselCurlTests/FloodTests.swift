import EaselCore
import EaselTestServers
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCurl

/// A server that sends what is for no transfer, faster than curl throws it away, harms nobody but itself.
@Suite(.enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct FloodTests {
  /// The server's settings, and then 65,536 times so many frames that curl has no use for.
  private func server(flooding frame: String, framesAtOnce: Int = 100_000) async throws -> TalkingTLSServer {
    let settings = "\0\0\0\u{4}\0\0\0\0\0"
    let flood = String(repeating: frame, count: framesAtOnce)
    return try TalkingTLSServer(try await NginxServer.shared().certificates, overHTTP2: true) { _ in
      [settings] + Array(repeating: flood, count: 1 << 16)
    }
  }

  private static let frames = [
    // Of a type that nobody knows.
    "\0\0\0\u{60}\0\0\0\0\0",
    // A priority.
    "\0\0\u{5}\u{2}\0\0\0\0\u{3}\0\0\0\0\u{10}",
  ]

  @Test(arguments: frames)
  func aFloodOfFramesIsCutOffAndOtherLoadsGoOn(frame: String) async throws {
    let flooding = try await server(flooding: frame)
    defer { flooding.close() }
    flooding.saysAllAtOnce()
    let gate = Gate()
    let body = ServerBody.bytes(1000)
    let other: ServerScript = [.wait(gate), .head(200, [("Content-Length", "1000")]), .send(body)]
    let good = try ScriptableServer(routes: ["/held": .always(other), "/*": .always(.reply(body: body))])
    defer { good.close() }
    let authorities = try await NginxServer.shared().certificates.authorityPath
    try await withLoader({
      $0.certificateAuthorities = authorities
      $0.totalTimeout = nil
    }) { loader in
      async let held = loader.body(good.url("/held"))
      await good.waitForRequests(1, path: "/held")
      let failure = await loader.failure(of: flooding.url("/a"))
      #expect(failure?.code == .limitExceeded)
      #expect(failure?.message.contains("belong to no answer") == true)
      // Its connection is the only one that was ended, and the thread is free.
      gate.open()
      let (heldSink, next) = (try await held.sink, try await loader.body(good.url("/a")).sink)
      #expect(heldSink.body == body && next.body == body)
      #expect(good.requests(for: "/held").count == 1)
    }
  }

  @Test func aLoaderIsClosedWhileItIsFlooded() async throws {
    // Twenty parts are fewer bytes than those for which the watch would cut the connection.
    let flooding = try await server(flooding: Self.frames[0], framesAtOnce: 1000)
    defer { flooding.close() }
    let authorities = try await NginxServer.shared().certificates.authorityPath
    try await withLoader({
      $0.certificateAuthorities = authorities
      $0.totalTimeout = nil
    }) { loader in
      async let failure = loader.failure(of: flooding.url("/a"))
      flooding.saysAllAtOnce()
      await flooding.waitUntilSaid(20)
      loader.close()
      await loader.waitForEnd()
      let code = await failure?.code
      #expect(code == .cancelled || code == .limitExceeded)
    }
  }
}
