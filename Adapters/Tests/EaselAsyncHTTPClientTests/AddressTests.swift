import AsyncHTTPClient
import EaselCore
import EaselCurl
import EaselTestSupport
import FoundationEssentials
import NIOHTTP1
import Testing

@testable import EaselAsyncHTTPClient

@Suite(.serialized)
struct AddressTests {
  @Test func privateAddressesGetNoRequest() async throws {
    let server = try await OriginServer { _ in .bytes([1]) }
    try await withLoader(client: { $0.allowConnections(only: .denyPrivate) }) { loader in
      let error = await loader.failure(LoadRequest(url: server.url("/a")))
      #expect(error?.code == .forbiddenAddress && error?.message.contains("127.0.0.1") == true)
      try await server.record.connectionHasEnded.pass()
    }
    #expect(server.record.requests.isEmpty)
    try await server.close()
  }

  @Test func theAddressBehindANameIsAsked() async throws {
    let server = try await OriginServer { _ in .bytes([1]) }
    let port = try #require(server.url("/").port)
    try await withLoader(client: {
      $0.dnsOverride = ["pictures.test": "127.0.0.1"]
      $0.allowConnections(only: .denyPrivate)
    }) { loader in
      let request = LoadRequest(url: .init(string: "http://pictures.test:\(port)/a")!)
      #expect(await loader.failure(request)?.code == .forbiddenAddress)
    }
    #expect(server.record.requests.isEmpty)
    try await server.close()
  }

  @Test func aRedirectCannotPassThePolicy() async throws {
    let hidden = try await OriginServer { _ in .bytes([1]) }
    let target = hidden.url("/b").absoluteString
    let server = try await OriginServer { _ in .redirect(to: target) }
    let open = try #require(server.url("/").port)
    try await withLoader(client: { $0.allowConnections(only: .custom { _, port in port == open }) }) { loader in
      #expect(await loader.failure(LoadRequest(url: server.url("/a")))?.code == .forbiddenAddress)
    }
    #expect(server.record.requests.count == 1 && hidden.record.requests.isEmpty)
    try await server.close()
    try await hidden.close()
  }

  @Test func theInitializerOfTheProgramRunsToo() async throws {
    let server = try await OriginServer { _ in .bytes([1]) }
    let hasRun = AsyncGate()
    try await withLoader(client: {
      $0.http1_1ConnectionDebugInitializer = { channel in
        hasRun.open()
        return channel.eventLoop.makeSucceededVoidFuture()
      }
      $0.allowConnections(only: .allowAll)
    }) { loader in
      #expect(try await loader.fetch(LoadRequest(url: server.url("/a"))).body == [1])
      try await hasRun.pass()
    }
    try await server.close()
  }
}
