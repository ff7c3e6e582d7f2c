import EaselCore
import EaselSupport
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// The paths and the pace of requests that fill caches.
struct WarmTests {
  private static func requests(_ count: Int) -> [WarmRequest] {
    (1...count).map { WarmRequest(index: $0, source: "\($0)", path: "/\($0)", accept: nil) }
  }

  @Test func eachVariantIsAskedFor() throws {
    let variants = [
      WarmVariant(options: "w:20", format: "webp", accept: nil),
      WarmVariant(options: "w:40", format: nil, accept: "image/avif"),
    ]
    let paths = WarmPaths(work: nil)
    let requests = try paths.requests(for: "https://example.com/a b.jpg", variants)
    #expect(
      requests.map(\.path) == [
        "/unsafe/w:20/plain/https://example.com/a%20b.jpg@webp", "/unsafe/w:40/plain/https://example.com/a%20b.jpg",
      ])
    #expect(requests.map(\.accept) == [nil, "image/avif"])
    #expect(try paths.requests(for: "/whole/path", variants).map(\.path) == ["/whole/path", "/whole/path"])
    #expect(try paths.requests(for: "/whole/path", [variants[0], variants[0]]).count == 1)
  }

  @Test func requestsFollowEachOtherAtTheRate() async {
    let clock = ManualClock()
    let asked = Watched<[Duration]>([])
    let run = WarmRun(rate: 2, jobs: 10, clock: clock) { _ in
      asked.withLock { $0.append(clock.uptime) }
      return WarmAnswer(status: 200)
    }
    let running = Task { await run.run(Self.requests(3)) { _, _ in } }
    for count in 1...2 {
      await clock.waitForSleepers()
      await asked.wait { $0.count >= count }
      clock.advance(by: .milliseconds(500))
    }
    #expect(await running.value == 0)
    #expect(asked.withLock { $0 } == [.zero, .milliseconds(500), .seconds(1)])
  }

  @Test func whatTheServerTurnsAwayIsAskedForAgain() async {
    let clock = ManualClock()
    let attempts = Locked(0)
    let failure = ImageError(.badStatus, "Too many.")
    let run = WarmRun(rate: 1, jobs: 1, clock: clock) { _ in
      let attempt = attempts.withLock { attempts in
        attempts += 1
        return attempts
      }
      return attempt < 3
        ? WarmAnswer(status: 429, retryAfter: .seconds(7), failure: failure) : WarmAnswer(status: 200)
    }
    let running = Task { await run.run(Self.requests(1)) { _, _ in } }
    for _ in 1...2 {
      await clock.waitForSleepers()
      #expect(clock.remainingSleeps == [.seconds(7)])
      clock.advance(by: .seconds(7))
    }
    #expect(await running.value == 0 && attempts.withLock { $0 } == 3)
  }

  @Test func whatFailsForGoodIsCounted() async {
    let failure = ImageError(.badStatus, "No such picture.")
    let told = Locked<[String]>([])
    let run = WarmRun(rate: 1000, jobs: 2, clock: SystemClock()) { request in
      request.index == 2 ? WarmAnswer(status: 404, failure: failure) : WarmAnswer(status: 200)
    }
    let failed = await run.run(Self.requests(3)) { request, answer in
      if answer.failure != nil { told.withLock { $0.append(request.source) } }
    }
    #expect(failed == 1 && told.withLock { $0 } == ["2"])
  }
}

/// A server whose caches are filled.
@Suite(.tags(.alone)) struct WarmServerTests {
  @Test func theServerHasWhatWasAskedFor() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch) + ["--formats", "webp", "--metrics", "127.0.0.1:0"]
      try await ServeProgram.running(options, in: scratch) { server in
        try Data(
          "# A comment\nlocal:///1.png\n\nlocal:///2.png\n/unsafe/w:33/plain/local:///3.png\nlocal:///none.png\n".utf8
        )
        .write(to: scratch.url("list"))
        let command = try ServeProgram([
          "warm", scratch.path("list"), "--at", "http://127.0.0.1:\(server.port)", "--options", "w:30", "--options",
          "w:60",
          "--accept", "image/webp", "--rate", "1000",
        ])
        let end = await command.waitForEnd()
        // One source does not exist.
        #expect(end.status == 1 && command.complaints.contains("asked for 7 pictures, of which 2 failed"))
        #expect(command.complaints.contains("local:///none.png") && command.complaints.contains("404"))
        await command.stop()
        let port = try #require(await server.metricsAddress()?.split(separator: ":").last.flatMap { Int($0) })
        func encodes() async throws -> String? {
          let text = String(decoding: try await RawClient.get("/metrics", from: port).body, as: UTF8.self)
          return text.split(separator: "\n").first { $0.hasPrefix("easel_request_seconds_count{stage=\"encode\"}") }
            .map(String.init)
        }
        let before = try await encodes()
        for path in [
          ServeProgram.url("w:30", "1.png"), ServeProgram.url("w:60", "2.png"), ServeProgram.url("w:33", "3.png"),
        ] {
          let answer = try await server.get(path, ["Accept: image/webp"])
          #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
        }
        #expect(try await encodes() == before && before?.hasSuffix(" 5") == true)
      }
    }
  }

  @Test(arguments: [
    (["warm", "list", "--options", "w:x"], "cannot be read"), (["warm", "list", "--rate", "0"], "--rate needs"),
    (["warm", "list", "--at", "ftp://host"], "--at needs an address"), (["warm"], "LIST"),
  ])
  func mistakesAreNamed(_ words: [String], _ message: String) throws {
    let outcome = try EaselProcess.run(words)
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome.errors)")
  }
}
