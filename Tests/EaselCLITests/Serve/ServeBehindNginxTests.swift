import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The server behind nginx, as its example configures it.
@Suite(.tags(.alone), .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct ServeBehindNginxTests {
  /// Starts a server with these options, and nginx in front of it.
  private func behindNginx(
    _ options: [String] = [], _ body: (ServeProgram, NginxFront) async throws -> Void
  ) async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch) + options
      try await ServeProgram.running(options, addresses: ["FOLDER/easel.sock", "127.0.0.1:0"], in: scratch) { program in
        let example = try String(
          contentsOf: Self.repository.appendingPathComponent("Examples/Serve/nginx.conf"), encoding: .utf8)
        let nginx = try NginxFront(example: example, upstream: scratch.url("easel.sock").path)
        defer { nginx.stop() }
        try await body(program, nginx)
      }
    }
  }

  @Test func theConfigurationOfNginxWorks() async throws {
    try await behindNginx(["--formats", "webp", "--trusted-proxy", "192.0.2.1"]) { program, nginx in
      let url = ServeProgram.url("w:30", "1.png")
      let forged = ["X-Request-ID: forged", "X-Forwarded-For: 203.0.113.9"]
      let first = try nginx.ask(url, ["Accept: image/avif,image/webp,*/*"] + forged)
      #expect(first.text.hasPrefix("HTTP/2 200"), "\(first.text.prefix(300))")
      #expect(first.header("content-type") == "image/webp" && first.header("x-cache") == "MISS")
      #expect(first.header("vary") == "Accept")
      let second = try nginx.ask(url, ["Accept: image/webp"])
      #expect(second.header("x-cache") == "HIT" && second.body == first.body)
      let third = try nginx.ask(url, ["Accept: */*"])
      #expect(third.header("x-cache") == "MISS" && third.header("content-type") == "image/png")
      #expect(try nginx.ask("/ready").header("x-cache") == nil)
      #expect(try nginx.ask("/playground/options").text.hasPrefix("HTTP/2 404"))
      let plain = try nginx.ask(plain: "/a")
      #expect(plain.status == 301)
      program.send(SIGTERM)
      #expect(await program.waitForEnd() == .init(status: 0))
      let log = program.complaints.split(separator: "\n").filter { $0.contains("route=picture") }
      #expect(log.count == 2, "The answer from nginx's cache did not come here.")
      #expect(log.allSatisfy { $0.contains("remote=127.0.0.1 ") && !$0.contains("forged") }, "\(log)")
      // The cache answers while the server is away.
      #expect(try nginx.ask(url, ["Accept: image/webp"]).body == first.body)
    }
  }

  /// The size of the picture of an answer.
  private static func size(_ answer: RawClient.Answer) throws -> PixelSize {
    try Pictures.decoded(Data(answer.body)).bitmap.size
  }

  /// The server itself speaks no HTTP/2; over it, a body without a length goes through nginx.
  @Test(arguments: [3, 5000]) func aBodyWithoutALengthIsTooLarge(_ count: Int) async throws {
    try await behindNginx { program, nginx in
      let body = String(repeating: "a", count: count)
      let refused = try nginx.post(ServeProgram.url("w:30", "1.png"), body)
      #expect(refused.text.contains("HTTP/2 413"), "\(refused.text)")
      // The connections behind nginx are as good as before.
      let answer = try nginx.ask(ServeProgram.url("w:30", "1.png"))
      #expect(answer.status == 200)
    }
  }

  @Test func nginxKeepsEachPictureOnce() async throws {
    try await behindNginx { program, nginx in
      let path = ServeProgram.url("w:30", "1.png")
      let first = try nginx.ask(path)
      #expect(first.status == 200 && first.header("x-cache") == "MISS")
      for number in 1...3 {
        let answer = try nginx.ask(path + "?x=\(number)")
        #expect(answer.header("x-cache") == "HIT" && answer.body == first.body, "A query made an entry.")
      }
      // Two spellings of a path are two addresses, because signatures are made of the spelling.
      #expect(try nginx.ask(path.replacingOccurrences(of: "w:30", with: "w%3A30")).header("x-cache") == "MISS")
    }
  }

  @Test func nginxMixesNoPicturesOfBrowsersThatDiffer() async throws {
    try await behindNginx(["--client-hints"]) { program, nginx in
      let path = ServeProgram.url("w:30", "1.png")
      let plain = try nginx.ask(path)
      #expect(try plain.header("x-cache") == "MISS" && Self.size(plain).width == 30)
      let double = try nginx.ask(path, ["Sec-CH-DPR: 2"])
      #expect(try double.header("x-cache") == "MISS" && Self.size(double).width == 60)
      // The older name of the field means the same, and so does a ratio that is rounded up to it.
      for field in ["DPR: 2", "Sec-CH-DPR: 1.75", "Sec-CH-DPR: 2.0"] {
        let same = try nginx.ask(path, [field])
        #expect(same.header("x-cache") == "HIT" && same.body == double.body, "\(field)")
      }
      #expect(try nginx.ask(path, ["Sec-CH-DPR: 1"]).body == plain.body)
      #expect(try nginx.ask(path).body == plain.body)
      let free = ServeProgram.url("q:80", "1.png")
      let whole = try nginx.ask(free)
      let small = try nginx.ask(free, ["Sec-CH-Width: 128", "Sec-CH-DPR: 4"])
      #expect(try Self.size(whole).width == 160 && Self.size(small).width != 0)
      #expect(try nginx.ask(free, ["Sec-CH-Width: 300", "Sec-CH-DPR: 4"]).header("x-cache") == "HIT")
      #expect(try nginx.ask(free).body == whole.body)
    }
  }

  /// Not when it is fresh, not meanwhile, and not when the server is away.
  @Test func nginxSendsNothingWhoseAddressHasExpired() async throws {
    try await behindNginx { program, nginx in
      let end = Date().timeIntervalSince1970.rounded(.up) + 2
      let path = ServeProgram.url("w:30/exp:\(Int(end))", "1.png")
      let first = try nginx.ask(path)
      #expect(first.status == 200 && first.header("cache-control")?.contains("must-revalidate") == true)
      #expect(try nginx.ask(path).header("x-cache") == "HIT")
      let other = ServeProgram.url("w:31/exp:\(Int(end))", "1.png")
      #expect(try nginx.ask(other).status == 200)
      // nginx has no clock but that of the system.
      while Date().timeIntervalSince1970 < end + 0.1 { usleep(50_000) }
      for _ in 0..<3 {
        let late = try nginx.ask(path)
        #expect(late.text.hasPrefix("HTTP/2 410"), "\(late.text.prefix(200))")
      }
      program.send(SIGKILL)
      _ = await program.waitForEnd()
      #expect(try nginx.ask(other).text.hasPrefix("HTTP/2 502"))
    }
  }

  private static var repository: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }
}

extension NginxFront {
  /// Asks for a path over HTTP/2 and TLS, with further header fields.
  fileprivate func ask(_ path: String, _ fields: [String] = []) throws -> RawClient.Answer {
    try answer("https://localhost:\(securePort)\(path)", fields)
  }

  fileprivate func ask(plain path: String) throws -> RawClient.Answer { try answer("http://localhost:\(port)\(path)") }

  /// Sends a body of which no length is stated, because it is that of a stream.
  fileprivate func post(_ path: String, _ body: String) throws -> RawClient.Answer {
    let words = ["curl", "-sS", "-i", "--http2", "--cacert", authorityPath, "-X", "POST", "-T", "-"]
    let url = "https://localhost:\(securePort)\(path)"
    return RawClient.Answer([UInt8](try Child.run(words + [url], input: Data(body.utf8)).output))
  }

  private func answer(_ url: String, _ fields: [String] = []) throws -> RawClient.Answer {
    let words = ["curl", "-sS", "-i", "--http2", "--cacert", authorityPath] + fields.flatMap { ["-H", $0] }
    return RawClient.Answer([UInt8](try Child.run(words + [url]).output))
  }
}
