import EaselCore
import EaselService
import EaselSupport
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

/// The server as a program: its answers, its signals and its settings.
@Suite(.tags(.alone))
struct ServeProgramTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"

  @Test func aPictureIsMadeAsAVIFForThoseWhoReadIt() async throws {
    try await AsyncScratch.with { scratch in
      try await ServeProgram.running(ServeProgram.withPictures(in: scratch) + ["--formats", "avif,webp"], in: scratch) {
        program in
        let path = ServeProgram.url("w:80", "1.png")
        let answer = try await program.get(path, ["Accept: image/avif,image/webp,*/*"])
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/avif")
        #expect(answer.headers["Vary"]?.contains("Accept") == true)
        let image = try Pictures.decoded(Data(answer.body))
        #expect(image.format == .avif && image.bitmap.size == PixelSize(width: 80, height: 60))
        let other = try await program.get(path, ["Accept: image/webp,*/*"])
        #expect(other.headers["Content-Type"] == "image/webp")
        let named = try await program.get(path + "@avif", ["Accept: */*"])
        #expect(named.body == answer.body && named.headers["Content-Type"] == "image/avif")
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  @Test func aDrawingIsMadeAPictureOfTheWantedSize() async throws {
    try await AsyncScratch.with { scratch in
      let drawing = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 60'><circle r='60'/></svg>"
      try Data(drawing.utf8).write(to: scratch.url("a.svg"))
      try await ServeProgram.running(ServeProgram.withPictures(in: scratch) + ["--formats", "webp"], in: scratch) {
        program in
        let answer = try await program.get(ServeProgram.url("w:40", "a.svg"), ["Accept: image/webp,image/svg+xml,*/*"])
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
        #expect(try Pictures.decoded(Data(answer.body)).bitmap.size == PixelSize(width: 40, height: 30))
        let plain = try await program.get(ServeProgram.url("w:40", "a.svg"), ["Accept: image/svg+xml"])
        #expect(plain.status == 200 && plain.headers["Content-Type"] == "image/png")
        let same = try await program.get(ServeProgram.url("w:40", "a.svg") + "@svg")
        #expect(same.status == 200 && same.headers["Content-Type"] == "image/svg+xml")
        #expect(try await program.get(ServeProgram.url("w:40", "1.png") + "@svg").status == 415)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  // MARK: Answers

  @Test func aPictureIsMadeOnce() async throws {
    try await AsyncScratch.with { scratch in
      try await ServeProgram.running(ServeProgram.withPictures(in: scratch) + ["--formats", "webp"], in: scratch) {
        program in
        let path = ServeProgram.url("w:80", "1.png")
        let first = try await program.get(path, ["Accept: image/webp", "X-Request-ID: one"])
        #expect(first.status == 200 && first.headers["Content-Type"] == "image/webp")
        #expect(try Pictures.decoded(Data(first.body)).bitmap.size == PixelSize(width: 80, height: 60))
        let second = try await program.get(path, ["Accept: image/webp", "X-Request-ID: two"])
        #expect(second.body == first.body && second.headers["ETag"] == first.headers["ETag"])
        let tag = try #require(first.headers["ETag"])
        let third = try await program.get(path, ["Accept: image/webp", "If-None-Match: \(tag)"])
        #expect(third.status == 304 && third.body.isEmpty && third.headers["ETag"] == tag)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        let log = program.complaints.split(separator: "\n")
        #expect(log.contains { $0.contains("id=one ") && $0.contains("cache=miss") })
        #expect(log.contains { $0.contains("id=two ") && $0.contains("cache=memory") })
      }
    }
  }

  @Test func onlySignedAddressesAreServed() async throws {
    try await AsyncScratch.with { scratch in
      try "# A comment\n\(Self.key) \(Self.salt)\n".write(
        to: scratch.url("keys"), atomically: false, encoding: .utf8)
      try Pictures.png(16, 16).write(to: scratch.url("a.png"))
      let options = ["--local", scratch.path, "--key-file", scratch.url("keys").path]
      try await ServeProgram.running(options, in: scratch) { program in
        let signer = URLSigner([try URLSigner.Key(hexadecimal: Self.key, salt: Self.salt)])
        let signed = signer.signed("/w:8/plain/local:///a.png")
        #expect(try await program.get(signed).status == 200)
        #expect(try await program.get(signed.replacing("w:8", with: "w:9")).status == 403)
        #expect(try await program.get("/unsafe/w:8/plain/local:///a.png").status == 403)
      }
    }
  }

  @Test func addressesOfThumborAreServed() async throws {
    let origin = try ScriptableServer(routes: ["/a.png": .file(ServerFile([UInt8](try Pictures.png(80, 40))))])
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      try "my-security-key\n".write(to: scratch.url("keys"), atomically: false, encoding: .utf8)
      let options = ["--urls", "thumbor", "--allow-private", "--key-file", scratch.url("keys").path]
      try await ServeProgram.running(options, in: scratch) { program in
        let signer = URLSigner([URLSigner.Key(key: Array("my-security-key".utf8))], grammar: .thumbor)
        let path = signer.signed("/fit-in/20x20/filters:format(webp)/\(origin.origin)/a.png")
        let answer = try await program.get(path)
        #expect(answer.headers["Content-Type"] == "image/webp")
        #expect(try Pictures.decoded(Data(answer.body)).bitmap.size == PixelSize(width: 20, height: 10))
        let other = try await program.get(path.replacing("20x20", with: "21x21"))
        #expect(other.status == 403)
      }
    }
  }

  @Test func addressesOfOtherFormsAreServed() async throws {
    try await AsyncScratch.with { scratch in
      try Pictures.png(1080, 40).write(to: scratch.url("a.png"))
      let forms = ["cloudflare", "next", "iiif", "/tiles=deepzoom"].flatMap { ["--urls", $0] }
      try await ServeProgram.running(["--local", scratch.path] + forms, in: scratch) { program in
        for (path, width, height) in [
          ("/cdn-cgi/image/width=540,format=png/a.png", 540, 20), ("/_next/image?url=%2Fa.png&w=640&q=75", 640, 24),
          ("/iiif/a.png/0,0,100,20/50,/0/gray.png", 50, 10), ("/tiles/a.png_files/11/4_0.png", 56, 40),
        ] {
          let answer = try await program.get(path)
          #expect(answer.status == 200, "\(path)")
          #expect(try Pictures.decoded(Data(answer.body)).bitmap.size == PixelSize(width: width, height: height))
        }
        let description = try await program.get("/iiif/a.png/info.json")
        #expect(String(decoding: description.body, as: UTF8.self).contains("\"width\":1080,\"height\":40"))
        // Without a list of sources, they are the files of the folder.
        #expect(try await program.get("/cdn-cgi/image/width=1/https://example.com/a.png").status == 403)
        #expect(try await program.get("/unsafe/plain/local:///a.png").status == 404)
      }
    }
  }

  @Test func aUnixSocketIsServedAndRemoved() async throws {
    try await AsyncScratch.with { scratch in
      let socket = scratch.url("easel.sock").path
      try await ServeProgram.running(
        ServeProgram.withPictures(in: scratch), addresses: ["FOLDER/easel.sock"], in: scratch
      ) { program in
        let answer = try Child.run([
          "curl", "-sS", "--unix-socket", socket, "http://localhost\(ServeProgram.url("w:10", "1.png"))",
        ])
        #expect(try Pictures.decoded(answer.output).bitmap.size.width == 10, "\(answer.errors)")
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        #expect(!FileManager.default.fileExists(atPath: socket))
      }
    }
  }

  @Test func aSocketOfADeadServerIsTakenOver() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch)
      try await ServeProgram.running(options, addresses: ["FOLDER/easel.sock"], in: scratch) { first in
        let second = try EaselProcess.run(["serve"] + options + ["--listen", scratch.url("easel.sock").path])
        #expect(second.status == 1 && second.errors.contains("easel.sock"))
        first.send(SIGKILL)
        #expect(await first.waitForEnd() == .init(signal: SIGKILL))
      }
      try await ServeProgram.running(options, addresses: ["FOLDER/easel.sock"], in: scratch) { third in
        #expect(third.addresses == ["unix:" + scratch.url("easel.sock").path] || third.addresses.count == 1)
      }
    }
  }

  // MARK: Signals

  @Test func presetsChangeWithSIGHUP() async throws {
    try await AsyncScratch.with { scratch in
      let presets = scratch.url("presets")
      try "small=w:20\n".write(to: presets, atomically: true, encoding: .utf8)
      let options = try ServeProgram.withPictures(in: scratch) + ["--presets-file", presets.path]
      try await ServeProgram.running(options, in: scratch) { program in
        let (small, large) = (ServeProgram.url("pr:small", "1.png"), ServeProgram.url("pr:large", "1.png"))
        #expect(try await program.get(small).status == 200)
        #expect(try await program.get(large).status == 400)

        try "small=w:\nlarge=w:200\n".write(to: presets, atomically: true, encoding: .utf8)
        try "small=width:no\n".write(to: presets, atomically: true, encoding: .utf8)
        program.send(SIGHUP)
        await program.waitForComplaint("The settings stay as they were.")
        #expect(try await program.get(small).status == 200)
        #expect(try await program.get(large).status == 400)

        try "large=w:40\n".write(to: presets, atomically: true, encoding: .utf8)
        program.send(SIGHUP)
        await program.waitForComplaint("The settings were read anew.")
        #expect(try await program.get(small).status == 400)
        let picture = try await program.get(large)
        #expect(try Pictures.decoded(Data(picture.body)).bitmap.size.width == 40)
      }
    }
  }

  @Test func settingsOfTheServerItselfChangeWithSIGHUP() async throws {
    try await AsyncScratch.with { scratch in
      let file = scratch.url("easel.conf")
      func write(_ text: String) throws { try text.write(to: file, atomically: true, encoding: .utf8) }
      try write("log = text\nidle-timeout = 1h\n")
      let options = try ServeProgram.withPictures(in: scratch) + ["--config", file.path]
      try await ServeProgram.running(options, in: scratch) { program in
        _ = try await program.get(ServeProgram.url("w:20", "1.png"), ["X-Request-ID: first"])
        await program.waitForComplaint("id=first ")
        // It has asked for something, and waits since then.
        let idle = try RawClient(port: program.port)
        idle.send("GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
        let whole = Task { await idle.receive() }

        try write("log = json\nidle-timeout = 0.001\nthreads = 2\nmemory-limit = 400M\n")
        program.send(SIGHUP)
        await program.waitForComplaint("The settings were read anew.")
        await program.waitForComplaint("The new value of threads is in force only after a restart.")
        await program.waitForComplaint("The new value of memory-limit is in force only after a restart.")
        #expect(!program.complaints.contains("new value of log"))
        // The server closes it, because its hour is over.
        #expect(await whole.value.status == 200)
        idle.close()
        _ = try await program.get(ServeProgram.url("w:20", "1.png"), ["X-Request-ID: second"])
        await program.waitForComplaint("\"id\":\"second\"")

        try write("log = off\n")
        program.send(SIGHUP)
        await program.waitForComplaint("The settings were read anew.", count: 2)
        _ = try await program.get(ServeProgram.url("w:20", "1.png"), ["X-Request-ID: third"])
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        #expect(!program.complaints.contains("third"))
      }
    }
  }

  @Test func theCacheInMemoryShrinksWithSIGHUP() async throws {
    try await AsyncScratch.with { scratch in
      let file = scratch.url("easel.conf")
      try "memory-size = 50M\n".write(to: file, atomically: true, encoding: .utf8)
      let options =
        try ServeProgram.withPictures(in: scratch) + ["--config", file.path, "--metrics", "127.0.0.1:0"]
      try await ServeProgram.running(options, in: scratch) { program in
        let address = try #require(await program.metricsAddress())
        let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
        func bytes() async throws -> Int {
          let text = String(decoding: try await RawClient.get("/metrics", from: port).body, as: UTF8.self)
          let line = text.split(separator: "\n").first { $0.hasPrefix("easel_memory_bytes{part=\"cache\"} ") }
          return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
        }
        for width in 20..<40 { _ = try await program.get(ServeProgram.url("w:\(width)", "1.png")) }
        let before = try await bytes()
        try "memory-size = \(before / 4)\n".write(to: file, atomically: true, encoding: .utf8)
        program.send(SIGHUP)
        await program.waitForComplaint("The settings were read anew.")
        #expect(try await (1...before / 4).contains(bytes()))
      }
    }
  }

  /// An origin whose picture waits at a gate, and the options of a server that may load from it.
  private static func slowOrigin(_ gate: Gate) throws -> ScriptableServer {
    let picture = [UInt8](try Pictures.png(40, 30))
    let head = ServerStep.head(200, [("Content-Type", "image/png"), ("Content-Length", "\(picture.count)")])
    return try ScriptableServer(routes: ["/a.png": .always(ServerScript([head, .wait(gate), .send(picture)]))])
  }

  @Test func theSignalToEndLetsARequestFinish() async throws {
    let gate = Gate()
    let origin = try Self.slowOrigin(gate)
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      let options = ["--unsafe", "--allow-private", "--drain-delay", "0"]
      try await ServeProgram.running(options, in: scratch) { program in
        async let answer = program.get("/unsafe/w:10/plain/\(origin.origin)/a.png")
        await gate.waitForWaiters()
        program.send(SIGTERM)
        var isRefused = false
        for _ in 0..<100_000 where !isRefused { isRefused = (try? RawClient(port: program.port).close()) == nil }
        #expect(isRefused, "No connection is taken any more.")
        #expect(program.end == nil)
        gate.open()
        let status = try await answer.status
        #expect(status == 200)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  @Test func readinessEndsBeforeTheServerDoes() async throws {
    let gate = Gate()
    let origin = try Self.slowOrigin(gate)
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      let options = ["--unsafe", "--allow-private", "--drain-delay", "3600", "--drain-time", "3600"]
      try await ServeProgram.running(options, in: scratch) { program in
        #expect(try await program.get("/ready").status == 200)
        async let answer = program.get("/unsafe/w:10/plain/\(origin.origin)/a.png")
        await gate.waitForWaiters()
        program.send(SIGTERM)
        #expect(try await program.answer(to: "/ready", becomes: 503))
        #expect(try await program.get("/health").status == 200)
        gate.open()
        let status = try await answer.status
        #expect(status == 200)
        // A balancer that has not yet noticed still gets its pictures.
        #expect(try await program.get("/unsafe/w:12/plain/\(origin.origin)/a.png").status == 200)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  @Test func theSecondSignalDoesNotWaitForARequest() async throws {
    let gate = Gate()
    let origin = try Self.slowOrigin(gate)
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      let options = ["--unsafe", "--allow-private", "--drain-delay", "3600", "--drain-time", "3600"]
      try await ServeProgram.running(options, in: scratch) { program in
        async let answer = program.get("/unsafe/w:10/plain/\(origin.origin)/a.png")
        await gate.waitForWaiters()
        program.send(SIGTERM)
        #expect(try await program.answer(to: "/ready", becomes: 503))
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        let status = try await answer.status
        #expect(status != 200)
        gate.open()
      }
    }
  }

  // MARK: The cache on disk

  @Test func aKilledServerLeavesNoWrongBytes() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch)
      let paths = (1...3).flatMap { file in (10..<26).map { ServeProgram.url("w:\($0)", "\(file).png") } }
      var wanted: [String: [UInt8]] = [:]
      try await ServeProgram.running(options, in: scratch) { program in
        for path in paths {
          let answer = try await program.get(path)
          #expect(answer.status == 200)
          wanted[path] = answer.body
        }
      }
      let cached = options + ["--cache", scratch.url("cache").path, "--memory-size", "1"]
      for round in 1...3 {
        try await ServeProgram.running(cached, in: scratch) { program in
          let expected = wanted
          try await withThrowingTaskGroup(of: Bool.self) { group in
            for path in paths.shuffled() + paths.shuffled() {
              group.addTask {
                // After the kill there is no connection, or one that ends early.
                guard let answer = try? await program.get(path), answer.status == 200 else { return false }
                guard answer.headers["Content-Length"] == "\(answer.body.count)" else { return false }
                #expect(answer.body == expected[path], "\(path) after \(round) kills")
                return true
              }
            }
            var done = 0
            for try await isAnswered in group where isAnswered {
              done += 1
              if done == 10 * round { program.send(SIGKILL) }
            }
          }
          #expect(await program.waitForEnd() == .init(signal: SIGKILL))
        }
      }
      try await ServeProgram.running(cached, in: scratch) { program in
        for path in paths {
          let body = try await program.get(path).body
          #expect(body == wanted[path], "\(path)")
        }
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        #expect(program.complaints.contains("cache=disk"), "Something was kept.")
      }
    }
  }

  // MARK: Settings

  @Test(arguments: [
    ([], "There is no key"), (["--unsafe", "--key", "c0ffee", "--salt", "-"], "Leave one of both out"),
    (["--key", "coffee", "--salt", "-"], "not hexadecimal"), (["--unsafe", "--listen", "nowhere"], "--listen needs"),
    (["--unsafe", "--local", "/nonexistent"], "no directory"), (["--unsafe", "--preset", "a=widht:3"], "width"),
    (["--unsafe", "--config", "/nonexistent"], "cannot be read"), (["--unsafe", "--quallity", "3"], "--quality"),
    (["--unsafe", "--allow-source", "https://*a"], "pattern"),
  ])
  func wrongSettingsStopTheServer(_ words: [String], _ text: String) throws {
    let checks = [[], ["--check"]]
    let outcomes = try EaselProcess.runEach(checks.map { ["serve", "--listen", "127.0.0.1:0"] + words + $0 })
    for (check, outcome) in zip(checks, outcomes) {
      #expect(outcome.status == 2 || check.isEmpty && outcome.status == 1, "\(words)")
      #expect(!outcome.wasKilled && outcome.output.isEmpty && outcome.errors.contains(text), "\(outcome.errors)")
      #expect(!outcome.errors.contains("coffee") && !outcome.errors.contains("c0ffee"), "A key is never shown.")
    }
  }

  @Test func checkingPrintsTheSettings() throws {
    let words = ["serve", "--check", "--key", Self.key, "--salt", Self.salt, "--quality", "70"]
    let outcome = try EaselProcess.run(words, environment: ["EASEL_TTL": "1h"])
    #expect(outcome.status == 0)
    let rows = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(rows.contains(["quality", "70", "--quality"]) && rows.contains(["ttl", "1h", "EASEL_TTL"]))
    #expect(!outcome.text.contains(Self.key) && !outcome.text.contains(Self.salt))
    #expect(outcome.errors.contains("Others on this machine can see the secrets"))
  }

  @Test func aPortThatIsTakenStopsTheServer() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch)
      try await ServeProgram.running(options, in: scratch) { program in
        let second = try EaselProcess.run(["serve"] + options + ["--listen", "127.0.0.1:\(program.port)"])
        #expect(second.status == 1 && second.errors.contains("\(program.port)") && second.output.isEmpty)
      }
    }
  }

  // MARK: Limits

  @Test func aSourceThatTakesTooLongIsNotReadAgain() async throws {
    try await AsyncScratch.with { scratch in
      let options = try ServeProgram.withPictures(in: scratch) + ["--decode-time", "0.001", "--sandbox", "off"]
      try Pictures.png(2000, 1500).write(to: scratch.url("large.png"))
      try await ServeProgram.running(options, in: scratch) { program in
        for width in [30, 30, 40] {
          let answer = try await program.get(ServeProgram.url("w:\(width)", "large.png"))
          #expect(answer.status == 422, "\(answer.text)")
          #expect(answer.text.contains("The picture takes longer to read than this server allows."))
          #expect(answer.headers["Cache-Control"] == "public, max-age=60")
        }
      }
    }
  }

  /// A source that states its length is refused before its body comes, and one that does not as soon as it is over.
  @Test func anOriginalWithTooManyBytesIsOneStatusHoweverItComes() async throws {
    let picture = [UInt8](try Pictures.png(160, 120))
    let origin = try ScriptableServer(routes: [
      "/stated.png": .file(ServerFile(picture)), "/chunked.png": .always(.chunked([picture])),
    ])
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      let options = ["--unsafe", "--allow-private", "--max-source-bytes", "\(picture.count - 1)"]
      try await ServeProgram.running(options, in: scratch) { program in
        for name in ["stated", "chunked"] {
          let answer = try await program.get("/unsafe/w:30/plain/\(origin.origin)/\(name).png")
          #expect(answer.status == 413 && answer.text.contains("The source has too many bytes."), "\(name)")
        }
      }
    }
  }

  @Test func detailsOfErrorsNameSettingsAndNoSecrets() async throws {
    try await AsyncScratch.with { scratch in
      let options =
        try ServeProgram.withPictures(in: scratch) + ["--debug", "--max-source-pixels", "100", "--allow-private"]
      try await ServeProgram.running(options, in: scratch) { program in
        let large = try await program.get(ServeProgram.url("w:30", "1.png"))
        #expect(large.status == 422 && large.text.contains("Raise --max-source-pixels to allow it."), "\(large.text)")
        // Nobody listens there.
        let gone = try await program.get("/unsafe/w:30/plain/http://127.0.0.1:1/a.png%3Ftoken=geheim")
        #expect(gone.text.contains("127.0.0.1:1/a.png") && !gone.text.contains("geheim"), "\(gone.text)")
      }
    }
  }
}
