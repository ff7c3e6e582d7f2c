import EaselCore
import EaselManager
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// Conditional requests go only to the URL that sent the validators.
@Suite(.tags(.alone))
struct RedirectValidatorTests {
  private let first = ToyImage(width: 8, height: 6, seed: 7)
  private let second = ToyImage(width: 16, height: 16, seed: 9)
  private let date = "Wed, 01 May 2024 00:00:00 GMT"

  private func manager(_ loader: CurlLoader) -> ImageManager {
    ImageManager(.init(loader: loader, coder: CoderRegistry([ToyCoder()]), cache: RecordingCache()))
  }

  /// A file that never counts as changed in requests with a date.
  private func file(_ picture: ToyImage) -> ServerRoute {
    .file(ServerFile(picture.bytes, etag: nil, lastModified: date))
  }

  private func refreshed(_ manager: ImageManager, _ url: URL) async throws -> ImageResult {
    try await manager.result(for: ImageRequest(url: url, options: .refreshCached))
  }

  @Test func aRedirectThatLeadsElsewhereBringsThePictureThere() async throws {
    let server = try ScriptableServer(routes: [
      "/latest": .inTurn(.redirect(to: "/a"), .redirect(to: "/b")), "/a": file(first), "/b": file(second),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let manager = manager(loader)
      #expect(try await manager.image(for: server.url("/latest")).bitmap == first.expectedBitmap())
      let result = try await refreshed(manager, server.url("/latest"))
      #expect(try result.image.bitmap == second.expectedBitmap())
      #expect(result.source == .network)
      // The picture now comes from another URL, and its date is valid only there.
      #expect(try await refreshed(manager, server.url("/latest")).source == .revalidated)
    }
    #expect(server.requests(for: "/latest").allSatisfy { $0.headers["If-Modified-Since"] == nil })
    #expect(server.requests(for: "/b").map { $0.headers["If-Modified-Since"] } == [nil, date])
  }

  @Test func aRedirectThatLeadsToTheSameAsBeforeConfirmsIt() async throws {
    let server = try ScriptableServer(routes: ["/latest": .always(.redirect(to: "/a?x=1")), "/a": file(first)])
    defer { server.close() }
    try await withLoader { loader in
      let manager = manager(loader)
      _ = try await manager.image(for: server.url("/latest"))
      #expect(try await refreshed(manager, server.url("/latest")).source == .revalidated)
    }
    #expect(server.requests(for: "/a").map { $0.headers["If-Modified-Since"] } == [nil, date])
  }

  @Test func whatARedirectLedToSaysNothingOfAnAnswerWithoutOne() async throws {
    let (file, redirect) = (file(second), ServerScript.redirect(to: "/a"))
    let server = try ScriptableServer(routes: [
      "/latest": ServerRoute { $0.visit == 0 ? redirect : file.answer($0) }, "/a": self.file(first),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let manager = manager(loader)
      _ = try await manager.image(for: server.url("/latest"))
      let result = try await refreshed(manager, server.url("/latest"))
      #expect(try result.image.bitmap == second.expectedBitmap())
      #expect(try await refreshed(manager, server.url("/latest")).source == .revalidated)
    }
  }

  @Test func anAnswerThatNothingChangedIsNotBelievedWhereNobodyAsked() async throws {
    let server = try ScriptableServer(routes: [
      "/latest": .inTurn(.redirect(to: "/a"), .redirect(to: "/b")), "/a": file(first), "/b": .always(.reply(304)),
    ])
    defer { server.close() }
    try await withLoader { loader in
      let manager = manager(loader)
      _ = try await manager.image(for: server.url("/latest"))
      let failure = await #expect(throws: ImageError.self) { try await refreshed(manager, server.url("/latest")) }
      #expect(failure?.code == .notModified && failure?.response?.url == server.url("/b"))
      try Task.checkCancellation()
    }
  }

  @Test(arguments: ["If-None-Match", "If-Modified-Since"])
  func aCallersOwnConditionsStayWithTheirURL(_ name: String) async throws {
    let server = try ScriptableServer(routes: ["/a": .always(.redirect(to: "/b")), "/b": .always(.reply(body: [1]))])
    defer { server.close() }
    try await withLoader { loader in
      let request = LoadRequest(url: server.url("/a"), headers: [name: "\"one\"", "X-Other": "stays"])
      let sink = try await loader.body(request).sink
      #expect(sink.body == [1] && sink.head?.redirects.map(\.status) == [302])
    }
    #expect(server.requests(for: "/a").map { $0.headers[name] } == ["\"one\""])
    #expect(server.requests(for: "/b").map { $0.headers[name] } == [nil])
    #expect(server.requests(for: "/b").map { $0.headers["X-Other"] } == ["stays"])
  }
}
