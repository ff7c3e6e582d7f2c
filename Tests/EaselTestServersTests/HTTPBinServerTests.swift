import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone), .enabled(if: HTTPBinServer.isAvailable, "\(HTTPBinServer.missing ?? "")"))
struct HTTPBinServerTests {
  @Test func itSaysWhatItWasAsked() async throws {
    let server = try await HTTPBinServer.shared()
    let answer = try await RawClient.get("/headers", from: server.port, headers: ["X-Easel: yes"])
    #expect(answer.status == 200)
    #expect(answer.text.contains("\"X-Easel\": \"yes\""))
    #expect(server.url("/get").absoluteString == "http://127.0.0.1:\(server.port)/get")
  }

  @Test func itPacksInEveryWay() async throws {
    let server = try await HTTPBinServer.shared()
    for (path, coding) in [("gzip", "gzip"), ("brotli", "br"), ("deflate", "deflate")] {
      let answer = try await RawClient.get("/\(path)", from: server.port)
      #expect(answer.status == 200)
      #expect(answer.header("Content-Encoding") == coding)
    }
  }

  @Test func itAsksWhoIsThere() async throws {
    let server = try await HTTPBinServer.shared()
    #expect(try await RawClient.get("/basic-auth/me/secret", from: server.port).status == 401)
    let digest = try await RawClient.get("/digest-auth/auth/me/secret", from: server.port)
    #expect(digest.header("WWW-Authenticate")?.hasPrefix("Digest ") == true)
  }

  @Test func aSecondServerIsApartAndStops() async throws {
    let shared = try await HTTPBinServer.shared()
    #expect(try await HTTPBinServer.shared().port == shared.port)
    let own = try HTTPBinServer()
    #expect(own.port != shared.port)
    #expect(try await RawClient.get("/status/204", from: own.port).status == 204)
    own.stop()
    #expect(throws: (any Error).self) { try RawClient(port: own.port) }
  }
}
