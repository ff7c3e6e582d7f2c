import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// A server that sends useless frames faster than curl discards them harms only its own connection.
@Suite(.tags(.alone), .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct FloodTests {
  /// A server that sends its settings, and then this many useless frames 65,536 times.
  private func server(flooding frame: String, framesAtOnce: Int = 100_000) async throws -> TalkingTLSServer {
    let settings = "\0\0\0\u{4}\0\0\0\0\0"
    let flood = String(repeating: frame, count: framesAtOnce)
    return try TalkingTLSServer(try await NginxServer.shared().certificates, overHTTP2: true) { _ in
      [settings] + Array(repeating: flood, count: 1 << 16)
    }
  }

  private static let frames = [
    // A frame of an unknown type.
    "\0\0\0\u{60}\0\0\0\0\0",
    // A priority frame.
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
      #expect(failure?.message.contains("belong to no response") == true)
      // Only the flooding connection was ended, and the thread is free.
      gate.open()
      let (heldSink, next) = (try await held.sink, try await loader.body(good.url("/a")).sink)
      #expect(heldSink.body == body && next.body == body)
      #expect(good.requests(for: "/held").count == 1)
    }
  }

  @Test func aLoaderIsClosedWhileItIsFlooded() async throws {
    // Twenty parts have fewer bytes than the limit at which the connection is cut.
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
