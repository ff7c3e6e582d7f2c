import EaselCore
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

@Suite(.tags(.alone))
struct ProxyTests {
  @Test func aProxyIsAskedForTheWholeURL() async throws {
    let proxy = try ScriptableServer(routes: [:])
    defer { proxy.close() }
    proxy.setRoute("*", .always(.reply(body: [7])))
    proxy.setRoute("http://pictures.example/a", .always(.reply(body: [7])))
    try await withLoader({ $0.proxy = .url(proxy.origin.replacing("http://", with: "http://me:secret@")) }) { loader in
      let sink = try await loader.body(URL(string: "http://pictures.example/a")!).sink
      #expect(sink.body == [7])
    }
    #expect(proxy.requests.first?.target == "http://pictures.example/a")
  }

  @Test func aProxyThatAsksForThePasswordGetsIt() async throws {
    let proxy = try ScriptableServer(routes: [:])
    defer { proxy.close() }
    let url = "http://pictures.example/a"
    for path in ["*", url] {
      proxy.setRoute(
        path,
        ServerRoute { request in
          request.headers["Proxy-Authorization"] == nil
            ? .reply(407, headers: [("Proxy-Authenticate", "Basic realm=\"proxy\"")], body: [1]) : .reply(body: [7])
        })
    }
    try await withLoader({ $0.proxy = .url(proxy.origin.replacing("http://", with: "http://me:secret@")) }) { loader in
      let sink = try await loader.body(URL(string: url)!).sink
      #expect(sink.heads.map(\.status) == [200])
      #expect(sink.body == [7])
    }
    #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] != nil } == [false, true])
  }

  @Test func aProxyThatIsAwayIsANetworkError() async throws {
    let port = try RefusingPort()
    try await withLoader({ $0.proxy = .url(port.url().absoluteString) }) { loader in
      let failure = await loader.failure(of: URL(string: "http://pictures.example/a")!)
      #expect(failure?.code == .network)
      try Task.checkCancellation()
    }
  }
}
