import Easel
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone))
struct GetTests {
  /// Calls `body` with a server of one picture that counts its requests.
  private func withServer(
    _ routes: [String: ServerRoute] = [:], _ body: (ScriptableServer, Scratch) throws -> Void
  ) throws {
    let picture = ServerFile([UInt8](try Pictures.png(64, 32)), contentType: "image/png")
    let server = try ScriptableServer(routes: ["/a.png": .file(picture)].merging(routes) { $1 })
    defer { server.close() }
    try Scratch.with { try body(server, $0) }
  }

  private func get(_ scratch: Scratch, _ words: String...) throws -> EaselProcess.Outcome {
    try EaselProcess.run(["get", "--json", "--cache", scratch.path("cache")] + words)
  }

  @Test func fromTheNetworkThenFromTheDisk() throws {
    try withServer { server, scratch in
      let url = server.origin + "/a.png"
      let first = try get(scratch, url).object()
      #expect(first["input"] as? String == url && first["source"] as? String == "network")
      #expect(first["status"] as? Int == 200 && first["width"] as? Int == 64 && first["height"] as? Int == 32)
      #expect(try first["bytes"] as? Int == Pictures.png(64, 32).count)
      let metrics = try #require(first["metrics"] as? [String: Any])
      #expect(metrics["protocol"] as? String == "HTTP/1.1" && metrics["redirects"] as? Int == 0)
      #expect(try #require(metrics["totalMs"] as? Double) > 0)
      let second = try get(scratch, url).object()
      #expect(second["source"] as? String == "disk" && second["metrics"] is NSNull)
      #expect(second["bytes"] as? Int == first["bytes"] as? Int)
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: [[], ["--json"]]) func noResultHasAPassword(_ options: [String]) throws {
    try withServer { server, scratch in
      let origin = server.origin.replacingOccurrences(of: "http://", with: "http://alice:geheim@")
      let words = ["get", "--cache", scratch.path("cache"), origin + "/a.png", origin + "/missing.png"] + options
      let outcome = try EaselProcess.run(words)
      #expect(outcome.status == 1)
      #expect(!(outcome.text + outcome.errors).contains("geheim"), "\(outcome.text + outcome.errors)")
      #expect((outcome.text + outcome.errors).contains("***@"))
    }
  }

  @Test func withoutACache() throws {
    try withServer { server, scratch in
      let environment = ["XDG_CACHE_HOME": scratch.directory.path]
      for _ in 0..<2 {
        let outcome = try EaselProcess.run(
          ["get", "--json", "--no-cache", server.origin + "/a.png"], environment: environment)
        #expect(try outcome.object()["source"] as? String == "network")
      }
      #expect(server.requests.count == 2)
      #expect(try scratch.names().isEmpty)
    }
  }

  @Test func whatWasLoadedIsWritten() throws {
    try withServer { server, scratch in
      let said = try get(scratch, server.origin + "/a.png?x=1", "-o", scratch.path("out/deep")).object()
      #expect(said["output"] as? String == scratch.path("out/deep/a.png"))
      #expect(try scratch.data("out/deep/a.png") == Pictures.png(64, 32))
    }
  }

  @Test func thumbnails() throws {
    try withServer { server, scratch in
      let said = try get(scratch, server.origin + "/a.png", "--thumbnail", "16x16", "-o", scratch.path("out")).object()
      #expect(said["width"] as? Int == 16 && said["height"] as? Int == 8)
      let path = try #require(said["output"] as? String)
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try Pictures.decoded(data).size == PixelSize(width: 16, height: 8))
      // The original is cached, so another size needs no transfer.
      #expect(try get(scratch, server.origin + "/a.png", "--thumbnail", "8x8").object()["source"] as? String == "disk")
      #expect(server.requests.count == 1)
    }
  }

  @Test func bytesThatAreNoPicture() throws {
    try withServer(["/text.txt": .always(.reply(body: Array("hello".utf8)))]) { server, scratch in
      let url = server.origin + "/text.txt"
      let picture = try get(scratch, url)
      #expect(picture.status == 1)
      #expect(try picture.errorCode() == "unsupportedFormat")
      let data = try get(scratch, url, "--data-only", "-o", scratch.path("out")).object()
      #expect(data["width"] is NSNull && data["bytes"] as? Int == 5 && data["status"] as? Int == 200)
      #expect(try scratch.data("out/text.txt") == Data("hello".utf8))
    }
  }

  @Test func refreshing() throws {
    try withServer { server, scratch in
      let url = server.origin + "/a.png"
      _ = try get(scratch, url)
      #expect(try get(scratch, url, "--refresh").object()["source"] as? String == "revalidated")
      #expect(server.requests.last?.headers["If-None-Match"] == "\"first\"")
      server.setRoute("/a.png", .always(.reply(503)))
      let kept = try get(scratch, url, "--refresh").object()
      #expect(kept["source"] as? String == "disk" && kept["revalidationError"] as? String != nil)
    }
  }

  @Test func policies() throws {
    var stale = ServerFile([UInt8](try Pictures.png(8, 8)))
    stale.headers = HTTPHeaders([("Cache-Control", "max-age=0")]).fields
    try withServer(["/stale.png": .file(stale)]) { server, scratch in
      let url = server.origin + "/stale.png"
      _ = try get(scratch, url)
      #expect(try get(scratch, url).object()["source"] as? String == "disk")
      #expect(try get(scratch, url, "--policy", "http").object()["source"] as? String == "revalidated")
      #expect(server.requests.count == 2)
    }
  }

  @Test func aStalePictureIsRefreshedForTheNextTime() throws {
    func file(_ side: Int) throws -> ServerFile {
      var file = ServerFile([UInt8](try Pictures.png(side, side)))
      file.headers = HTTPHeaders([("Cache-Control", "max-age=0, stale-while-revalidate=1000")]).fields
      file.etag = "\"\(side)\""
      return file
    }
    try withServer(["/stale.png": .file(file(8))]) { server, scratch in
      let url = server.origin + "/stale.png"
      _ = try get(scratch, url, "--policy", "http")
      server.setRoute("/stale.png", .file(try file(16)))
      let stale = try get(scratch, url, "--policy", "http").object()
      #expect(stale["source"] as? String == "disk" && stale["width"] as? Int == 8)
      #expect(server.requests.count == 2)
      let fresh = try get(scratch, url, "--policy", "http").object()
      #expect(fresh["source"] as? String == "disk" && fresh["width"] as? Int == 16)
    }
  }

  @Test(arguments: [[], ["--data-only"]])
  func aCacheThatCannotBeUsedIsToldOnce(options: [String]) throws {
    try withServer { server, scratch in
      let cache = scratch.path("cache")
      mkdir(cache, 0o700)
      chmod(cache, 0o777)
      let urls = ["/a.png?1", "/a.png?2", "/a.png?3"].map { server.origin + $0 }
      let outcome = try EaselProcess.run(["get", "--json", "--cache", cache] + options + urls)
      #expect(outcome.status == 0)
      #expect(try outcome.objects().map { $0["source"] as? String } == ["network", "network", "network"])
      #expect(outcome.errors.split(separator: "\n").count == 1)
      #expect(outcome.errors.hasPrefix("easel: cache: The directory \(cache) is not used"))
      #expect(outcome.errors.contains("other users may write to it"))
    }
  }

  @Test func headerFields() throws {
    try withServer { server, scratch in
      _ = try get(scratch, server.origin + "/a.png", "-H", "X-One: 1", "--header", "X-Two:two: 2")
      let request = try #require(server.requests.first)
      #expect(request.headers["X-One"] == "1" && request.headers["X-Two"] == "two: 2")
      #expect(request.headers["User-Agent"]?.hasPrefix("easel/") == true)
      #expect(request.headers["Accept"]?.hasPrefix("image/*") == true)
    }
  }

  @Test func attempts() throws {
    let whole = ServerScript.reply(body: [UInt8](try Pictures.png(8, 8)))
    try withServer(["/once.png": .inTurn(.reply(503), whole), "/never.png": .always(.reply(503))]) { server, scratch in
      let failed = try get(scratch, server.origin + "/never.png")
      #expect(failed.status == 1 && server.requests.count == 1)
      let error = try #require(try failed.object()["error"] as? [String: Any])
      #expect(error["code"] as? String == "badStatus" && error["status"] as? Int == 503)
      #expect(try get(scratch, server.origin + "/once.png", "--retry", "2").object()["status"] as? Int == 200)
      #expect(server.requests.count == 3)
    }
  }

  @Test func limits() throws {
    try withServer(["/silent.png": .always(.stalling(after: 10, of: 1000))]) { server, scratch in
      let long = try get(scratch, server.origin + "/a.png", "--max-bytes", "50")
      #expect(try long.errorCode() == "limitExceeded")
      let slow = try get(scratch, server.origin + "/silent.png", "--timeout", "0.3")
      #expect(try slow.errorCode() == "timedOut")
      let private_ = try get(scratch, server.origin + "/a.png", "--deny-private")
      #expect(private_.status == 1)
      #expect(try private_.errorCode() == "forbiddenAddress")
      let file = try scratch.write(try Pictures.png(2, 2), "private.png")
      #expect(try get(scratch, "file://\(file)", "--deny-private").errorCode() == "unsupportedURL")
    }
  }

  @Test func manyAtATimeInTheOrderOfTheInputs() throws {
    try withServer(["/gone.png": .always(.reply(404))]) { server, scratch in
      let urls = (0..<9).map { $0 == 4 ? server.origin + "/gone.png" : server.origin + "/a.png?\($0)" }
      let outcome = try EaselProcess.run(
        ["get", "--json", "--cache", scratch.path("cache"), "--jobs", "3", "-o", scratch.path("out")] + urls)
      #expect(outcome.status == 1)
      let objects = try outcome.objects()
      #expect(objects.map { $0["input"] as? String } == urls)
      #expect(objects.enumerated().allSatisfy { ($1["error"] != nil) == ($0 == 4) })
      #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).count == 8)
      #expect(server.connectionCount <= 3)
    }
  }

  @Test func oneJobIsOneAtATime() throws {
    try withServer { server, scratch in
      let urls = (0..<5).map { server.origin + "/a.png?\($0)" }
      let outcome = try EaselProcess.run(["get", "--cache", scratch.path("c"), "--jobs", "1"] + urls)
      #expect(outcome.status == 0)
      #expect(server.requests.map(\.target) == (0..<5).map { "/a.png?\($0)" })
    }
  }

  @Test func filesAndDataURLsAndStandardInput() throws {
    try Scratch.with { scratch in
      let data = try Pictures.png(9, 7)
      let path = try scratch.write(data, "a b.png")
      let inputs = [
        path, URL(fileURLWithPath: path).absoluteString, "data:image/png;base64,\(data.base64EncodedString())", "-",
      ]
      let outcome = try EaselProcess.run(
        ["get", "--json", "--cache", scratch.path("c"), "-o", scratch.path("out")] + inputs, input: data)
      let objects = try outcome.objects()
      #expect(objects.count == 4 && objects.allSatisfy { $0["width"] as? Int == 9 }, "\(outcome.text)")
      #expect(objects[3]["source"] as? String == "bytes")
      let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).sorted()
      #expect(names == ["a b-2.png", "a b.png", "data.png", "stdin.png"])
    }
  }

  @Test func otherCommandsTakeURLsToo() throws {
    try withServer { server, scratch in
      let url = server.origin + "/a.png"
      #expect(try EaselProcess.run(["info", "--json", url]).object()["width"] as? Int == 64)
      #expect(try EaselProcess.run(["decode", url, "-o", scratch.path("a.rgba")]).status == 0)
      #expect(try scratch.data("a.rgba").count == 64 * 32 * 4)
      #expect(try EaselProcess.run(["thumb", url, "--size", "8", "--dir", scratch.directory.path]).status == 0)
      #expect(try Pictures.decoded(scratch.data("a.png")).size.width == 8)
      let missing = try EaselProcess.run(["info", "--json", server.origin + "/none.png"])
      #expect(try missing.errorCode() == "badStatus")
    }
  }

  @Test func forPeople() throws {
    try withServer { server, scratch in
      let url = server.origin + "/a.png"
      let outcome = try EaselProcess.run(["get", url, "--cache", scratch.path("c"), "-o", scratch.path("out")])
      #expect(outcome.text.hasPrefix("\(url): 64x32, "))
      #expect(
        outcome.text.contains(", from network, ") && outcome.text.hasSuffix("written to \(scratch.path("out"))/a.png\n")
      )
      let failed = try EaselProcess.run(["get", server.origin + "/none.png", "--cache", scratch.path("c")])
      #expect(failed.output.isEmpty && failed.errors.hasPrefix("easel: \(server.origin)/none.png: "))
      #expect(failed.errors.contains("404"))
    }
  }

  @Test(.enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
  func certificates() async throws {
    let server = try await NginxServer.shared()
    try server.put([UInt8](try Pictures.png(8, 8)), at: "/cli/a.png")
    let url = server.secureURL("/cli/a.png").absoluteString
    let strict = try EaselProcess.run(["get", "--json", "--no-cache", url])
    #expect(try strict.errorCode() == "network")
    let trusting = try EaselProcess.run(["get", "--json", "--no-cache", "--insecure", url]).object()
    let metrics = try #require(trusting["metrics"] as? [String: Any])
    #expect(metrics["protocol"] as? String == "HTTP/2" && metrics["tlsMs"] as? Double != nil)
    let authority = server.certificates.authorityPath
    #expect(try EaselProcess.run(["get", "--no-cache", "--ca", authority, url]).status == 0)
    let moved = server.url("/moved/302/cli/a.png").absoluteString
    let redirected = try EaselProcess.run(["get", "--json", "--no-cache", moved]).object()
    #expect((redirected["metrics"] as? [String: Any])?["redirects"] as? Int == 1)
  }
}
