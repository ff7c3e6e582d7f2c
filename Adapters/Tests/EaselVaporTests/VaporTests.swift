import AdapterStudio
import Easel
import EaselService
import EaselTestSupport
import Testing
import Vapor

@testable import EaselVapor

@Suite(.serialized)
struct VaporTests {
  private func serve(
    _ studio: AdapterStudio, _ body: (_ port: Int, _ app: Application) async throws -> Void
  ) async throws {
    try await withApplication(
      { app in
        app.serve(studio.pictures, notice: .zero)
        app.get("hello") { _ in "hello" }
        app.on(.POST, "uploads", body: .stream) { request in
          let made = try await request.pictures(
            by: studio.pictures, as: [8, 4].map { ImageVariant(.resize(width: $0), as: EncodeRecipe(.png)) })
          return made.map { "\($0.size)" }.joined(separator: " ")
        }
      }, body)
  }

  @Test func servesPicturesBesideOtherRoutes() async throws {
    let studio = try AdapterStudio()
    try await serve(studio) { port, _ in
      let made = try await LoopbackClient.get(AdapterStudio.path, from: port)
      #expect(made.status == 200 && made.headers["Content-Type"] == "image/png")
      let header = try PNGCoder().probe(ImageBytes(made.body), work: WorkContext())
      #expect(header.storedSize == PixelSize(width: 8, height: 6))
      let tag = made.headers["ETag"] ?? ""
      let again = try await LoopbackClient.get(AdapterStudio.path, from: port, headers: ["If-None-Match: \(tag)"])
      #expect(again.status == 304 && again.body.isEmpty && studio.loader.callCount == 1)
      let head = try await LoopbackClient.get(AdapterStudio.path, from: port, method: "HEAD")
      #expect(head.body.isEmpty && head.headers["Content-Length"] == "\(made.body.count)")
      #expect(try await LoopbackClient.get("/pictures/unsafe/nonsense", from: port).status == 400)
      #expect(try await LoopbackClient.get("/hello", from: port).text.hasSuffix("hello"))
      #expect(try await LoopbackClient.get("/picturesque", from: port).status == 404)
    }
  }

  @Test func makesPicturesOfUploads() async throws {
    let studio = try AdapterStudio()
    try await serve(studio) { port, _ in
      let small = try await LoopbackClient.post(AdapterStudio.png(), to: "/uploads", at: port)
      #expect(small.status == 200 && small.text.hasSuffix("8x6 4x3"))
      // This one comes in many parts.
      let noise = try AdapterStudio.noise(width: 500, height: 400)
      let large = try await LoopbackClient.post(noise, to: "/uploads", at: port)
      #expect(large.status == 200 && large.text.hasSuffix("8x6 4x3"))
      let refused = try await LoopbackClient.post(Array("no picture".utf8), to: "/uploads", at: port)
      #expect(refused.status == 415 && refused.text.contains("reason"))
      #expect(try await LoopbackClient.post([], to: "/uploads", at: port).status == 422)
    }
  }

  @Test func anUploadWithoutABodyIsRefused() async throws {
    let studio = try AdapterStudio()
    try await serve(studio) { port, _ in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(
        LoopbackClient.head("/uploads", "POST", isLast: true, headers: ["Transfer-Encoding: chunked"]) + "0\r\n\r\n")
      #expect(await client.receive().status == 422)
    }
  }

  @Test func aClientThatLeavesEndsItsWork() async throws {
    let studio = try AdapterStudio()
    studio.loader.suspend(AdapterStudio.source)
    try await serve(studio) { port, _ in
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
    let png = try AdapterStudio.noise(width: 500, height: 400)
    try await serve(studio) { port, _ in
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
    try await serve(studio) { port, app in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path))
      client.send(LoopbackClient.head("/hello", isLast: true))
      let text = await client.receive().text
      #expect(text.split(separator: "HTTP/1.1 ").map { $0.prefix(3) } == ["200", "200"] && text.hasSuffix("hello"))
    }
  }

  @Test func theServerDrainsInOrder() async throws {
    let studio = try AdapterStudio()
    let clock = ManualClock()
    studio.loader.suspend(AdapterStudio.source)
    try await withApplication({
      $0.serve(studio.pictures, notice: .seconds(5), closingWithin: .seconds(10), clock: clock)
    }) { port, app in
      let client = try RawClient(port: port)
      defer { client.close() }
      client.send(LoopbackClient.head(AdapterStudio.path))
      await studio.loader.waitUntilSuspended(AdapterStudio.source)
      async let end: Void = app.asyncShutdown()
      await clock.waitForSleepers()
      // Balancers are told, and the server still takes requests.
      #expect(try await LoopbackClient.get("/pictures/ready", from: port).status == 503)
      clock.advance(by: .seconds(5))
      studio.loader.resume(AdapterStudio.source)
      #expect(await client.receive().status == 200)
      try await end
      #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path + "@jpg")).status != 200)
    }
  }
}
