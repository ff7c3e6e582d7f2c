import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@testable import EaselS3

/// A server that loads from more than the web.
@Suite(.tags(.alone)) struct ServeSourcesTests {
  private func serving(
    _ sources: String, _ files: [String: String] = [:], _ body: (ServeProgram, AsyncScratch) async throws -> Void
  ) async throws {
    try await AsyncScratch.with { scratch in
      for (name, text) in files { try Data(text.utf8).write(to: scratch.url(name)) }
      let text = sources.replacingOccurrences(of: "FOLDER", with: scratch.path)
      try Data(text.utf8).write(to: scratch.url("sources"))
      let options = [
        "--unsafe", "--sources-file", scratch.url("sources").path, "--metrics", "127.0.0.1:0", "--drain-delay", "0",
      ]
      try await ServeProgram.running(options, in: scratch) { try await body($0, scratch) }
    }
  }

  private func metrics(_ program: ServeProgram) async throws -> String {
    let port = try #require(await program.metricsAddress()?.split(separator: ":").last.flatMap { Int($0) })
    return String(decoding: try await RawClient.get("/metrics", from: port).body, as: UTF8.self)
  }

  private static func path(_ source: String) -> String { "/unsafe/w:20/plain/\(source)" }

  @Test func foldersHaveNames() async throws {
    try await AsyncScratch.with { other in
      try Pictures.png(40, 30, blue: 9).write(to: other.url("a.png"))
      try await serving("[local://one]\nfolder = FOLDER\n[local://two]\nfolder = \(other.path)\n") {
        (program, _) async throws in
        #expect(try await program.get(Self.path("local://two/a.png")).status == 200)
        #expect(try await program.get(Self.path("local://one/a.png")).status == 404)
        #expect(try await program.get(Self.path("local:///a.png")).status == 403)
      }
    }
  }

  @Test(.enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
  func webDAVIsLoadedWithAPassword() async throws {
    let nginx = try await NginxServer.shared()
    try nginx.put([UInt8](Pictures.png(40, 30, blue: 9)), at: "/dav-test/a b.png")
    let host = "127.0.0.1:\(nginx.port)"
    try await serving(
      "[dav://\(host)/dav/dav-test]\nuser = easel\npassword-file = FOLDER/password\nallow-private = true\n"
        + "[dav://\(host)/dav]\nuser = easel\npassword-file = FOLDER/wrong\nallow-private = true\n",
      ["password": "opensesame\n", "wrong": "sesame\n"]
    ) { (program, _) async throws in
      #expect(try await program.get(Self.path("dav://\(host)/dav/dav-test/a%2520b.png")).status == 200)
      #expect(try await program.get(Self.path("dav://\(host)/dav/dav-test/none.png")).status == 404)
      #expect(try await program.get(Self.path("dav://\(host)/dav/other.png")).status == 404)
      #expect(try await program.get(Self.path("dav://\(host)/secret.png")).status == 403)
      let text = try await metrics(program)
      let place = "source=\"dav://\(host)/dav/dav-test\""
      #expect(text.contains("easel_source_loads_total{\(place),result=\"loaded\"} 1"), "\(text)")
      #expect(text.contains("easel_source_loads_total{\(place),result=\"missing\"} 1"))
      #expect(text.contains("easel_source_up{\(place)} 1"))
      #expect(text.contains("easel_source_up{source=\"dav://\(host)/dav\"} 0"))
      #expect(text.contains("easel_source_loads_total{source=\"dav://\(host)/dav\",result=\"denied\"} 1"))
    }
  }

  @Test(.enabled(if: MotoServer.isAvailable, "\(MotoServer.missing ?? "")"))
  func bucketsOfS3AndGoogleAreLoaded() async throws {
    let url = try await MotoServer.shared().url
    let keys = S3Credentials(accessKeyID: "id", secretAccessKey: "secret")
    let client = S3Client(
      S3Configuration(region: "us-east-1", endpoint: url, credentials: .fixed(keys)), resumeStore: nil)
    let bucket = "pictures-\(UInt64.random(in: 0 ... .max))"
    for (key, body) in [("", nil), ("a b.png", try Pictures.png(40, 30, blue: 9))] as [(String, Data?)] {
      let answer = try await client.send(
        .init(location: S3Location(bucket: bucket, key: key), method: "PUT", body: body), limit: 1 << 20)
      #expect(answer.status == 200)
    }
    try await serving(
      "[s3://\(bucket)]\nendpoint = \(url)\ncredentials-file = FOLDER/keys\n"
        + "[gs://\(bucket)]\nendpoint = \(url)\ncredentials-file = FOLDER/keys\n",
      ["keys": "[default]\naws_access_key_id = id\naws_secret_access_key = secret\n"]
    ) { (program, _) async throws in
      #expect(try await program.get(Self.path("s3://\(bucket)/a%20b.png")).status == 200)
      #expect(try await program.get(Self.path("gs://\(bucket)/a%20b.png")).status == 200)
      #expect(try await program.get(Self.path("gs://\(bucket)/none.png")).status == 404)
      #expect(try await program.get(Self.path("s3://another/a.png")).status == 403)
    }
  }

  @Test func containersOfAzureAreLoaded() async throws {
    let picture = [UInt8](try Pictures.png(40, 30, blue: 9))
    let route = ServerRoute { request in
      request.query == "sv=1&sig=a" ? .reply(headers: [("Content-Type", "image/png")], body: picture) : .reply(403)
    }
    let server = try ScriptableServer(routes: ["/example/pictures/a.png": route])
    defer { server.close() }
    try await serving(
      "[azure://pictures]\naccount = example\nendpoint = \(server.origin)/example\nsas-file = FOLDER/sas\n",
      ["sas": "sv=1&sig=a\n"]
    ) { (program, _) async throws in
      #expect(try await program.get(Self.path("azure://pictures/a.png")).status == 200)
      program.send(SIGTERM)
      _ = await program.waitForEnd()
      #expect(!program.complaints.contains("sig="))
    }
  }

  /// Fields of the operator and of the client reach the source, and keep its pictures apart.
  @Test func fieldsGoToTheSource() async throws {
    let route = ServerRoute { request in
      guard request.headers["X-Key"] == "secret", request.headers["User-Agent"] == "pictures/1" else {
        return .reply(403)
      }
      let width = request.headers["Cookie"] == "size=1" ? 40 : 60
      guard let png = try? Pictures.png(width, 30, blue: 9) else { return .reply(500) }
      return .reply(headers: [("Content-Type", "image/png"), ("Cache-Control", "max-age=600")], body: [UInt8](png))
    }
    let server = try ScriptableServer(routes: ["/a.png": route])
    defer { server.close() }
    try await serving(
      "[\(server.origin)]\nfield-file = X-Key: FOLDER/key\nuser-agent = pictures/1\npass = Cookie\nallow-private = on\n",
      ["key": "secret\n"]
    ) { (program, _) async throws in
      let path = "/unsafe/plain/\(server.origin)/a.png"
      func width(_ fields: [String]) async throws -> Int {
        let answer = try await program.get(path, fields)
        #expect(answer.status == 200 && answer.headers["Vary"] == "Cookie")
        #expect((answer.headers["Cache-Control"] == "private, no-store") == !fields.isEmpty)
        return try Pictures.decoded(Data(answer.body)).bitmap.width
      }
      #expect(try await width(["Cookie: size=1"]) == 40)
      #expect(try await width(["Cookie: size=2"]) == 60)
      #expect(try await width(["Cookie: size=1"]) == 40)
      #expect(try await width([]) == 60)
      #expect(server.requests.count == 3)
    }
  }

  /// A new key, and a new place, are in force after SIGHUP.
  @Test func signalsBringNewSourcesIntoForce() async throws {
    try await serving("[local://one]\nfolder = FOLDER\n") { (program, scratch) async throws in
      try Pictures.png(40, 30, blue: 9).write(to: scratch.url("a.png"))
      #expect(try await program.get(Self.path("local://one/a.png")).status == 200)
      #expect(try await program.get(Self.path("local://two/a.png")).status == 403)
      try Data("[local://two]\nfolder = \(scratch.path)\n".utf8).write(to: scratch.url("sources"))
      program.send(SIGHUP)
      await program.waitForComplaint("The settings were read anew.")
      #expect(try await program.get(Self.path("local://two/a.png")).status == 200)
      #expect(try await program.get(Self.path("local://one/a.png")).status == 403)
    }
  }
}
