import AdapterStudio
import Easel
import EaselHummingbird
import EaselService
import EaselTestSupport
import Hummingbird
import Testing

@Suite(.serialized)
struct HummingbirdTests {
  private func router(_ studio: AdapterStudio) -> Router<PictureRequestContext> {
    let router = Router(context: PictureRequestContext.self)
    router.add(middleware: PictureMiddleware(studio.pictures))
    router.get("/hello") { _, _ in "hello" }
    router.post("/uploads") { request, context in
      let made = try await request.pictures(
        by: studio.pictures, in: context,
        as: [8, 4].map { ImageVariant(.resize(width: $0), as: EncodeRecipe(.png)) })
      return made.map { "\($0.size)" }.joined(separator: " ")
    }
    return router
  }

  @Test func servesPicturesBesideOtherRoutes() async throws {
    let studio = try AdapterStudio()
    try await serve(router(studio)) { port in
      let made = try await LoopbackClient.get(AdapterStudio.path, from: port)
      #expect(made.status == 200 && made.header("Content-Type") == "image/png")
      let header = try PNGCoder().probe(ImageBytes(made.body), work: WorkContext())
      #expect(header.storedSize == PixelSize(width: 8, height: 6))
      let tag = made.header("ETag") ?? ""
      let again = try await LoopbackClient.get(AdapterStudio.path, from: port, headers: ["If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty && studio.loader.callCount == 1)
      #expect(try await LoopbackClient.get("/pictures/unsafe/nonsense", from: port).status == 400)
      #expect(try await LoopbackClient.get("/hello", from: port).text.hasSuffix("hello"))
      #expect(try await LoopbackClient.get("/picturesque", from: port).status == 404)
    }
  }

  @Test func makesPicturesOfUploads() async throws {
    let studio = try AdapterStudio()
    try await serve(router(studio)) { port in
      let made = try await LoopbackClient.post(AdapterStudio.png(), to: "/uploads", at: port)
      #expect(made.status == 200 && made.text.hasSuffix("8x6 4x3"))
      let refused = try await LoopbackClient.post(Array("no picture".utf8), to: "/uploads", at: port)
      #expect(refused.status == 415)
      #expect(try await LoopbackClient.post([], to: "/uploads", at: port).status == 422)
    }
    #expect(studio.observer.names.count { $0 == "succeeded" } == 2)
  }

  @Test func aClientThatLeavesEndsItsWork() async throws {
    let studio = try AdapterStudio()
    studio.loader.suspend(AdapterStudio.source)
    try await serve(router(studio)) { port in
      let client = try RawClient(port: port)
      client.send(LoopbackClient.head(AdapterStudio.path))
      await studio.loader.waitUntilSuspended(AdapterStudio.source)
      client.close()
      await studio.waitForCancellation()
      #expect(studio.loader.calls(for: AdapterStudio.source).count == 1)
    }
  }

  @Test func anUploadThatBreaksOffEndsItsWork() async throws {
    let studio = try AdapterStudio()
    let png = try AdapterStudio.png(width: 320, height: 240)
    try await serve(router(studio)) { port in
      let client = try RawClient(port: port)
      client.send(LoopbackClient.head("/uploads", "POST", length: png.count))
      client.send(Array(png.dropLast(20)))
      await studio.observer.wait(for: "response", count: 2)
      client.close()
      await studio.observer.wait(for: "failed", count: 2)
      #expect(!studio.observer.names.contains("succeeded"))
    }
  }

  @Test func theConnectionStaysOpen() async throws {
    let studio = try AdapterStudio()
    try await serve(router(studio)) { port in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path))
      client.send(LoopbackClient.head("/hello", isLast: true))
      let text = await client.receive().text
      #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "200"] && text.hasSuffix("hello"))
    }
  }
}
