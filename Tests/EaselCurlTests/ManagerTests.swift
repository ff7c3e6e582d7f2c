import EaselCore
import EaselManager
import EaselSupport
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselCurl

/// The loader with a manager.
@Suite(.tags(.alone))
struct ManagerTests {
  private let picture = ToyImage(width: 200, height: 100, color: PixelColor(red: 1, green: 2, blue: 3, alpha: 255))

  private func manager(
    _ loader: CurlLoader, _ change: (inout ImageManager.Configuration) -> Void = { _ in }
  ) -> ImageManager {
    var configuration = ImageManager.Configuration(
      loader: loader, coder: CoderRegistry([ToyCoder()]), cache: RecordingCache())
    change(&configuration)
    return ImageManager(configuration)
  }

  @Test func aPictureComesFromTheWeb() async throws {
    let server = try ScriptableServer(routes: ["/a": .file(ServerFile(picture.bytes))])
    defer { server.close() }
    try await withLoader { loader in
      let image = try await manager(loader).image(for: server.url("/a"))
      #expect(image.size == picture.size)
    }
  }

  @Test func theNextAttemptGoesOnWhereTheLastOneWasCut() async throws {
    let bytes = picture.bytes
    #expect(bytes.count > 40_000)
    let cut = ServerScript([
      .head(200, [("ETag", "\"one\""), ("Content-Length", "\(bytes.count)")]), .send(Array(bytes.prefix(40_000))),
      .reset,
    ])
    let file = ServerFile(bytes, etag: "\"one\"")
    let server = try ScriptableServer(routes: ["/a": ServerRoute { $0.visit == 0 ? cut : file.answer(to: $0) }])
    defer { server.close() }
    try await withLoader({ $0.maximumResumptions = 0 }) { loader in
      let manager = manager(loader) { $0.retryPolicy = .exponentialBackoff(base: .milliseconds(1)) }
      let image = try await manager.image(for: server.url("/a"))
      #expect(image.size == picture.size)
    }
    #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=40000-"])
  }

  @Test func aModifierSeesTheHeadOfTheWhole() async throws {
    let bytes = picture.bytes
    let server = try ScriptableServer(routes: ["/a": .file(ServerFile(bytes))])
    defer { server.close() }
    let lengths = Locked<[Int?]>([])
    try await withLoader { loader in
      let manager = manager(loader) {
        $0.responseModifier = .closure { head in
          await Task.yield()
          lengths.withLock { $0.append(head.expectedLength) }
          return head
        }
      }
      _ = try await manager.image(for: server.url("/a"))
    }
    #expect(lengths.withLock { $0 } == [bytes.count])
  }

  @Test func nothingOfABadAnswerIsCached() async throws {
    let bytes = picture.bytes
    let half = bytes.count / 2
    let faults: [String: ServerScript] = [
      "/cut": ServerScript([
        .head(200, [("Content-Length", "\(bytes.count)")]), .send(Array(bytes.prefix(half))), .reset,
      ]),
      "/short": ServerScript([
        .head(200, [("Content-Length", "\(bytes.count)")]), .send(Array(bytes.dropLast())), .close,
      ]),
      "/chunks": .chunked(with: .noEnd), "/gzip": .gzip(with: .damaged),
      "/status": .reply(500, body: bytes), "/head": .hugeHead(), "/junk": .junk, "/null": .nullInHead,
      "/far": .redirect(to: "file:///etc/hostname"), "/loop": .redirect(to: "/loop"),
    ]
    let server = try ScriptableServer(routes: faults.mapValues { .always($0) })
    defer { server.close() }
    let cache = RecordingCache()
    try await withLoader({ $0.maximumResumptions = 0 }) { loader in
      let manager = manager(loader) { $0.cache = cache }
      for path in faults.keys {
        await #expect(throws: ImageError.self, "\(path)") { try await manager.image(for: server.url(path)) }
      }
      try Task.checkCancellation()
    }
    #expect(cache.entries(in: .memory).isEmpty)
    #expect(cache.entries(in: .disk).isEmpty)
  }

  @Test func whatComesOutTheSameEachTimeIsBlocked() async throws {
    let server = try ScriptableServer(routes: ["/loop": .endlessRedirects])
    defer { server.close() }
    try await withLoader { loader in
      let manager = manager(loader)
      await #expect(throws: ImageError.self) { try await manager.image(for: server.url("/loop")) }
      let before = server.requests.count
      let again = await #expect(throws: ImageError.self) { try await manager.image(for: server.url("/loop")) }
      #expect(again?.code == .blockedURL)
      #expect(server.requests.count == before)
      try Task.checkCancellation()
    }
  }
}
