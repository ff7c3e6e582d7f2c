import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// Commands that share a bucket of S3, as on several machines.
@Suite(.tags(.alone), .enabled(if: MotoServer.isAvailable, Comment(rawValue: MotoServer.missing ?? "")))
struct SharedStoreTests {
  private static let environment = [
    "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1",
  ]

  /// A bucket of moto.
  private struct Bucket {
    let name = "fleet-\(UInt64.random(in: 0 ... .max))"
    let port: Int

    init() async throws {
      port = try await MotoServer.shared().port
      let answer = try await RawClient.get("/\(name)", from: port, method: "PUT", headers: ["Content-Length: 0"])
      guard answer.status == 200 else { throw ServeFailure("moto makes no bucket: \(answer.status ?? 0)") }
    }

    var address: String { "s3://\(name)/easel?endpoint=http://127.0.0.1:\(port)" }

    var count: Int {
      get async throws {
        let list = try await RawClient.get("/\(name)?list-type=2", from: port)
        return String(decoding: list.body, as: UTF8.self).components(separatedBy: "<Key>").count - 1
      }
    }

    /// Suspends until the bucket has this many objects; gives up after a thousand looks.
    func waitForObjects(_ wanted: Int) async throws {
      for _ in 0..<1000 where try await count < wanted {}
      #expect(try await count == wanted)
    }
  }

  private static func serve(_ bucket: Bucket) async throws -> ServeProgram {
    // moto is slower than S3 beside other tests.
    try await ServeProgram.listening(
      [
        "--unsafe", "--allow-private", "--drain-delay", "0", "--shared", bucket.address, "--shared-timeout", "20",
        "--metrics", "127.0.0.1:0",
      ], environment: environment)
  }

  /// An original, its mark, and the result that was made from it.
  private static let objectsOfAPicture = 3

  @Test func theSecondServerSendsWhatTheFirstHasMade() async throws {
    let picture = ServerFile([UInt8](try Pictures.png(64, 32)), contentType: "image/png")
    let origin = try ScriptableServer(routes: ["/a.png": .file(picture)])
    defer { origin.close() }
    let bucket = try await Bucket()
    let (first, second) = (try await Self.serve(bucket), try await Self.serve(bucket))
    let path = "/unsafe/w:16/plain/\(origin.origin)/a.png@webp"
    let made = try await first.get(path)
    #expect(made.status == 200)
    try await bucket.waitForObjects(Self.objectsOfAPicture)
    let found = try await second.get(path, ["X-Request-ID: second"])
    #expect(found.status == 200 && found.body == made.body && found.headers["ETag"] == made.headers["ETag"])
    // Another size is made from the original in the bucket.
    #expect(try await second.get("/unsafe/w:8/plain/\(origin.origin)/a.png@webp").status == 200)
    #expect(origin.requests(for: "/a.png").count == 1)
    second.send(SIGTERM)
    _ = await second.waitForEnd()
    #expect(
      second.complaints.split(separator: "\n").contains { $0.contains("id=second ") && $0.contains("cache=shared") })
    for program in [first, second] { await program.stop() }
  }

  @Test func nothingPrivateGoesOut() async throws {
    let bytes = [UInt8](try Pictures.png(64, 32))
    func route(_ field: String, _ value: String) -> ServerRoute {
      .always(.reply(headers: [("Content-Type", "image/png"), (field, value)], body: bytes))
    }
    let origin = try ScriptableServer(routes: [
      "/private.png": route("Cache-Control", "private, max-age=600"),
      "/no-store.png": route("Cache-Control", "no-store"),
      "/cookie.png": route("Set-Cookie", "a=b"), "/vary.png": route("Vary", "Cookie"),
      "/public.png": route("Cache-Control", "max-age=600"),
    ])
    defer { origin.close() }
    let bucket = try await Bucket()
    let programs = [try await Self.serve(bucket), try await Self.serve(bucket)]
    let host = origin.origin.replacing("http://", with: "")
    for program in programs {
      for name in ["private", "no-store", "cookie", "vary"] {
        let answer = try await program.get("/unsafe/w:16/plain/http://\(host)/\(name).png")
        #expect(answer.status == 200, "\(name)")
      }
      _ = try await program.get("/unsafe/w:16/plain/http://user:word@\(host)/public.png?secret")
    }
    for name in ["private", "no-store", "cookie", "vary"] {
      #expect(origin.requests(for: "/\(name).png").count >= 2, "\(name)")
    }
    #expect(try await programs[0].get("/unsafe/w:16/plain/http://\(host)/public.png").status == 200)
    // Anything that was stored before would be there by now.
    try await bucket.waitForObjects(Self.objectsOfAPicture)
    for program in programs { await program.stop() }
    #expect(try await bucket.count == Self.objectsOfAPicture)
  }

  @Test func aStoreThatFailsIsLeftAloneAlsoAfterNewSettings() async throws {
    let picture = ServerFile([UInt8](try Pictures.png(64, 32)), contentType: "image/png")
    let origin = try ScriptableServer(routes: ["/a.png": .file(picture)])
    defer { origin.close() }
    // Nobody listens at port 1.
    let program = try await ServeProgram.listening(
      [
        "--unsafe", "--allow-private", "--metrics", "127.0.0.1:0", "--shared",
        "s3://bucket/easel?endpoint=http://127.0.0.1:1&access=anonymous",
      ])
    let metrics = try #require(await program.metricsAddress().flatMap { Int($0.split(separator: ":").last ?? "") })
    func figures() async throws -> [String] {
      String(decoding: try await RawClient.get("/metrics", from: metrics).body, as: UTF8.self).split(separator: "\n")
        .map(String.init)
    }
    for width in 10..<30 {
      #expect(try await program.get("/unsafe/w:\(width)/plain/\(origin.origin)/a.png").status == 200)
    }
    #expect(try await figures().contains("easel_shared_breaker_open 1"))
    program.send(SIGHUP)
    await program.waitForComplaint("The settings were read anew.")
    #expect(try await figures().contains("easel_shared_breaker_open 1"))
    #expect(program.complaints.contains("The shared store failed"))
    await program.stop()
  }

  @Test func getUsesWhatOthersHaveLoaded() async throws {
    let picture = ServerFile([UInt8](try Pictures.png(64, 32)), contentType: "image/png")
    let origin = try ScriptableServer(routes: ["/a.png": .file(picture)])
    defer { origin.close() }
    let bucket = try await Bucket()
    try Scratch.with { scratch in
      func get(_ machine: String) throws -> String? {
        try EaselProcess.run(
          ["get", "--json", "--cache", scratch.path(machine), "--shared", bucket.address, origin.origin + "/a.png"],
          environment: Self.environment
        ).object()["source"] as? String
      }
      #expect(try ["one", "two", "two"].map(get) == ["network", "shared", "disk"])
      #expect(origin.requests.count == 1)
      let unclear = try EaselProcess.run(["get", "--no-cache", "--shared", bucket.address, "x.png"])
      #expect(unclear.status == 2 && unclear.errors.contains("--shared and --no-cache"))
    }
  }

  @Test func theStoreIsClearedOnlyWhenItIsNamed() async throws {
    let picture = ServerFile([UInt8](try Pictures.png(64, 32)), contentType: "image/png")
    let origin = try ScriptableServer(routes: ["/a.png": .file(picture)])
    defer { origin.close() }
    let bucket = try await Bucket()
    try Scratch.with { scratch in
      func easel(_ words: String...) throws -> EaselProcess.Outcome {
        try EaselProcess.run(words, environment: Self.environment)
      }
      func source(_ machine: String) throws -> String? {
        try easel(
          "get", "--json", "--cache", scratch.path(machine), "--shared", bucket.address, origin.origin + "/a.png"
        ).object()["source"] as? String
      }
      #expect(try source("one") == "network")
      let said = try easel("cache", "stat", "--shared", bucket.address, "--json").object()
      #expect(said["entries"] is NSNull && said["bytes"] is NSNull && said["answerMs"] is Double)
      #expect(try easel("cache", "stat", "--shared", bucket.address).text.contains("unknown number of entries"))
      #expect(try easel("cache", "clear", "--cache", scratch.path("one")).status == 0)
      #expect(try source("one") == "shared")
      #expect(try easel("cache", "clear", "--shared", bucket.address).text.contains("for all machines"))
      #expect(try source("one") == "disk" && source("two") == "network")
      for action in ["list", "trim"] {
        let outcome = try easel("cache", action, "--shared", bucket.address)
        #expect(outcome.status == 2 && outcome.errors.contains("cannot be used with --shared"))
      }
      let gone = try easel("cache", "stat", "--shared", "s3://bucket/x?endpoint=http://127.0.0.1:1&access=anonymous")
      #expect(gone.status == 1 && gone.errors.contains("127.0.0.1"))
    }
  }
}
