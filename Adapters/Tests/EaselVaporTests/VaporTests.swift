import AdapterStudio
import EaselService
import EaselTestSupport
import FoundationEssentials
import Synchronization
import Testing
import Vapor

@testable import EaselVapor

@Suite(.serialized)
struct VaporTests {
  private static func configure(_ app: Application, _ studio: AdapterStudio) {
    app.serve(studio.pictures, notice: .zero)
    app.get("hello") { _ in "hello" }
    app.on(.POST, "uploads", body: .stream) { request in
      ServerContract.answer(try await request.pictures(by: studio.pictures, as: ServerContract.variants))
    }
  }

  @Test(arguments: ServerContract.Rule.allCases)
  func keepsTheContract(rule: ServerContract.Rule) async throws {
    let contract = ServerContract { studio, body in
      try await withApplication({ Self.configure($0, studio) }) { port, _ in try await body(port) }
    }
    try await contract.check(rule)
  }

  @Test func aRefusedUploadSaysWhy() async throws {
    let studio = try AdapterStudio()
    try await withApplication({ Self.configure($0, studio) }) { port, _ in
      let refused = try await LoopbackClient.post(Array("no picture".utf8), to: "/uploads", at: port)
      #expect(refused.status == 415 && refused.text.contains("\"reason\":\""))
      #expect(refused.headers["Content-Type"]?.hasPrefix("application/json") == true)
    }
  }

  @Test func theServerDrainsInOrder() async throws {
    let studio = try AdapterStudio()
    let clock = ManualClock()
    studio.loader.suspend(AdapterStudio.source)
    studio.loader.script(OtherPart.source, .body(try AdapterStudio.png()))
    let other = OtherPart(pictures: studio.pictures)
    try await withApplication({
      $0.serve(studio.pictures, notice: .seconds(5), closingWithin: .seconds(10), clock: clock)
    }) { port, app in
      await app.storage.setWithAsyncShutdown(OtherPart.Key.self, to: other) { await $0.end() }
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
    }
    #expect(try #require(other.lastAnswer) != 200)
  }

  @Test func aCommandThatServesNothingEndsAtOnce() async throws {
    let studio = try AdapterStudio()
    // Nobody moves this clock.
    let clock = ManualClock()
    let app = try await Application.make(Environment(name: "testing", arguments: ["vapor", "routes"]))
    app.logger.logLevel = .critical
    app.serve(studio.pictures, notice: .seconds(5), closingWithin: .seconds(10), clock: clock)
    try await app.asyncBoot()
    try await app.asyncShutdown()
    #expect(await studio.pictures.response(to: .init(target: AdapterStudio.path)).status != 200)
  }
}

/// A part of an application that ends with it, as its client does, and asks then whether pictures are still made.
private final class OtherPart: Sendable {
  struct Key: StorageKey { typealias Value = OtherPart }

  static let source = URL(string: "http://pictures.test/b.png")!

  private let pictures: ImageService
  private let answer = Mutex<Int?>(nil)

  init(pictures: ImageService) { self.pictures = pictures }

  /// The status of the answer at the end; nil before.
  var lastAnswer: Int? { answer.withLock { $0 } }

  func end() async {
    let path = "/pictures/unsafe/rs:fit:8:8/plain/\(Self.source)"
    let status = await pictures.response(to: .init(target: path)).status
    answer.withLock { $0 = status }
  }
}
