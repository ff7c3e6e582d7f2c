import EaselCore
import EaselService
import EaselTestServers
import EaselTestSupport
import Foundation
import Testing

/// The server as a program: its signals, its settings, and the addresses that it refuses.
struct ServeProgramTests {
  private static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  private static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"

  /// Calls `body` with a running server and an empty folder, and kills the server if it is still there afterwards.
  private static func withProgram(
    _ options: [String], addresses: [String] = ["127.0.0.1:0"], in scratch: AsyncScratch,
    _ body: (ServeProgram) async throws -> Void
  ) async throws {
    // A machine that is busy with other tests keeps a request waiting for longer than the default.
    let options = options + ["--request-timeout", "3600"]
    let program = try await ServeProgram.listening(options, addresses: addresses.map { scratch.filled($0) })
    do {
      try await body(program)
    } catch {
      await program.stop()
      throw error
    }
    await program.stop()
  }

  /// A folder with pictures, and options to serve them to everybody.
  private static func local(_ scratch: AsyncScratch) throws -> [String] {
    for number in 1...3 {
      try Pictures.png(160, 120, blue: UInt8(number * 60)).write(to: scratch.url("\(number).png"))
    }
    return ["--unsafe", "--local", scratch.path, "--drain-delay", "0"]
  }

  @Test func aPictureIsMadeAsAVIFForThoseWhoReadIt() async throws {
    try await AsyncScratch.with { scratch in
      try await Self.withProgram(Self.local(scratch) + ["--formats", "avif,webp"], in: scratch) { program in
        let path = Self.url("w:80", "1.png")
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
      try await Self.withProgram(Self.local(scratch) + ["--formats", "webp"], in: scratch) { program in
        let answer = try await program.get(Self.url("w:40", "a.svg"), ["Accept: image/webp,image/svg+xml,*/*"])
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/webp")
        #expect(try Pictures.decoded(Data(answer.body)).bitmap.size == PixelSize(width: 40, height: 30))
        let plain = try await program.get(Self.url("w:40", "a.svg"), ["Accept: image/svg+xml"])
        #expect(plain.status == 200 && plain.headers["Content-Type"] == "image/png")
        #expect(try await program.get(Self.url("w:40", "a.svg") + "@svg").status == 415)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
      }
    }
  }

  private static func url(_ options: String, _ file: String) -> String { "/unsafe/\(options)/plain/local:///\(file)" }

  // MARK: Answers

  @Test func aPictureIsMadeOnce() async throws {
    try await AsyncScratch.with { scratch in
      try await Self.withProgram(Self.local(scratch) + ["--formats", "webp"], in: scratch) { program in
        let path = Self.url("w:80", "1.png")
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
      try await Self.withProgram(options, in: scratch) { program in
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
      try await Self.withProgram(options, in: scratch) { program in
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

  @Test func aUnixSocketIsServedAndRemoved() async throws {
    try await AsyncScratch.with { scratch in
      let socket = scratch.url("easel.sock").path
      try await Self.withProgram(Self.local(scratch), addresses: ["FOLDER/easel.sock"], in: scratch) { program in
        let answer = try Child.run([
          "curl", "-sS", "--unix-socket", socket, "http://localhost\(Self.url("w:10", "1.png"))",
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
      let options = try Self.local(scratch)
      try await Self.withProgram(options, addresses: ["FOLDER/easel.sock"], in: scratch) { first in
        let second = try EaselProcess.run(["serve"] + options + ["--listen", scratch.url("easel.sock").path])
        #expect(second.status == 1 && second.errors.contains("easel.sock"))
        first.send(SIGKILL)
        #expect(await first.waitForEnd() == .init(signal: SIGKILL))
      }
      try await Self.withProgram(options, addresses: ["FOLDER/easel.sock"], in: scratch) { third in
        #expect(third.addresses == ["unix:" + scratch.url("easel.sock").path] || third.addresses.count == 1)
      }
    }
  }

  // MARK: Signals

  @Test func presetsChangeWithSIGHUP() async throws {
    try await AsyncScratch.with { scratch in
      let presets = scratch.url("presets")
      try "small=w:20\n".write(to: presets, atomically: true, encoding: .utf8)
      let options = try Self.local(scratch) + ["--presets-file", presets.path]
      try await Self.withProgram(options, in: scratch) { program in
        let (small, large) = (Self.url("pr:small", "1.png"), Self.url("pr:large", "1.png"))
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
      try await Self.withProgram(options, in: scratch) { program in
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
      try await Self.withProgram(options, in: scratch) { program in
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
      try await Self.withProgram(options, in: scratch) { program in
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
      let options = try Self.local(scratch)
      let paths = (1...3).flatMap { file in (10..<26).map { Self.url("w:\($0)", "\(file).png") } }
      var wanted: [String: [UInt8]] = [:]
      try await Self.withProgram(options, in: scratch) { program in
        for path in paths {
          let answer = try await program.get(path)
          #expect(answer.status == 200)
          wanted[path] = answer.body
        }
      }
      let cached = options + ["--cache", scratch.url("cache").path, "--memory-size", "1"]
      for round in 1...3 {
        try await Self.withProgram(cached, in: scratch) { program in
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
      try await Self.withProgram(cached, in: scratch) { program in
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
    for check in [[], ["--check"]] {
      let outcome = try EaselProcess.run(["serve", "--listen", "127.0.0.1:0"] + words + check)
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
      let options = try Self.local(scratch)
      try await Self.withProgram(options, in: scratch) { program in
        let second = try EaselProcess.run(["serve"] + options + ["--listen", "127.0.0.1:\(program.port)"])
        #expect(second.status == 1 && second.errors.contains("\(program.port)") && second.output.isEmpty)
      }
    }
  }

  // MARK: Addresses

  /// The ways to write this machine or its network.
  private static let privateHosts = [
    "127.0.0.1", "127.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::127.0.0.1]",
    "169.254.169.254", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.64.0.1", "[fe80::1]", "[fd00::1]",
  ]

  @Test func privateAddressesAreRefused() async throws {
    let origin = try ScriptableServer(routes: ["/a.png": .file(ServerFile([UInt8](try Pictures.png(8, 8))))])
    defer { origin.close() }
    try await AsyncScratch.with { scratch in
      try await Self.withProgram(["--unsafe"], in: scratch) { program in
        for host in Self.privateHosts {
          let path = "/unsafe/w:4/plain/http://\(host):\(origin.port)/a.png"
          for path in [path, "/info" + path, path.replacing("w:4", with: "raw:1")] {
            let answer = try await program.get(path)
            #expect(answer.status == 403, "\(path): \(answer.text)")
            #expect(!answer.text.contains("127.0.0.1"), "An answer says nothing of addresses.")
          }
        }
        #expect(origin.connectionCount == 0)
      }
      try await Self.withProgram(["--unsafe", "--allow-private"], in: scratch) { program in
        for host in ["127.0.0.1", "2130706433"] {
          let answer = try await program.get("/unsafe/w:4/plain/http://\(host):\(origin.port)/a.png")
          #expect(answer.status == 200)
        }
      }
    }
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://host/a", "gopher://host/a", "data:,x", "http://user@host/a.png"])
  func otherSourcesAreRefused(_ source: String) async throws {
    try await AsyncScratch.with { scratch in
      try await Self.withProgram(["--unsafe"], in: scratch) { program in
        let encoded = source.replacing("@", with: "%40")
        let answer = try await program.get("/unsafe/w:4/plain/\(encoded)")
        #expect(answer.status == 403 || answer.status == 400, "\(answer.text)")
      }
    }
  }

  @Test(arguments: [
    "../secret.png", "%2e%2e/secret.png", "..%2Fsecret.png", "link.png", "inner/../../secret.png",
  ])
  func filesOutsideTheFolderAreNotServed(_ file: String) async throws {
    try await AsyncScratch.with { scratch in
      let folder = scratch.url("pictures")
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("inner"), withIntermediateDirectories: true)
      try Pictures.png(8, 8).write(to: scratch.url("secret.png"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/link.png", withDestinationPath: scratch.url("secret.png").path)
      try await Self.withProgram(["--unsafe", "--local", folder.path], in: scratch) { program in
        let answer = try await program.get("/unsafe/w:4/plain/local:///\(file)")
        #expect(answer.status == 404, "\(answer.text)")
      }
    }
  }

  /// A network of their own lets an origin have an address that is not private.
  private static let hasNamespaces =
    (try? Child.run(["unshare", "--map-root-user", "--net", "ip", "link", "set", "lo", "up"]))?.status == 0

  @Test(.enabled(if: hasNamespaces && NginxServer.isAvailable))
  func redirectsToPrivateAddressesAreRefused() throws {
    try Scratch.with { scratch in
      _ = try scratch.write(Pictures.png(8, 8), "a.png")
      let outcome = try Child.run([
        "unshare", "--map-root-user", "--net", "bash", "-c", Self.redirections, EaselProcess.path,
        scratch.directory.path,
      ])
      #expect(
        outcome.lines == [
          "http://203.0.114.1:8000/a.png 200", "http://203.0.114.1:8000/public 200",
          "http://203.0.114.1:8000/loopback 403", "http://203.0.114.1:8000/mapped 403",
          "http://203.0.114.1:8000/decimal 403", "http://203.0.114.1:8000/metadata 403",
          "http://203.0.114.1:8000/file 404", "http://127.0.0.1:8000/a.png 403",
        ], "\(outcome.errors)")
    }
  }

  // The addresses are those of the network namespace, which nobody else sees.
  private static let redirections = #"""
    easel=$0 folder=$1 PATH=$PATH:/usr/sbin
    set -eu
    trap 'kill -KILL $(jobs -p) 2>/dev/null' EXIT
    ip link set lo up
    ip address add 203.0.114.1/32 dev lo
    cat >"$folder/nginx.conf" <<NGINX
    daemon off; user root; pid $folder/pid; worker_processes 1;
    events { }
    http {
      access_log off;
      client_body_temp_path $folder/t1; proxy_temp_path $folder/t2; fastcgi_temp_path $folder/t3;
      uwsgi_temp_path $folder/t4; scgi_temp_path $folder/t5;
      server {
        listen 8000;
        root $folder;
        location = /public { return 302 http://203.0.114.1:8000/a.png; }
        location = /loopback { return 302 http://127.0.0.1:8000/a.png; }
        location = /mapped { return 302 http://[::ffff:127.0.0.1]:8000/a.png; }
        location = /decimal { return 302 http://2130706433:8000/a.png; }
        location = /metadata { return 302 http://169.254.169.254/latest/meta-data/; }
        location = /file { return 302 file:///etc/hostname; }
      }
    }
    NGINX
    nginx -p "$folder" -e "$folder/error.log" -c "$folder/nginx.conf" &
    mkfifo "$folder/out"
    "$easel" serve --unsafe --listen 127.0.0.1:9000 >"$folder/out" &
    read -r line <"$folder/out"
    curl -s --retry 100 --retry-connrefused --retry-delay 0 -o "$folder/x" http://127.0.0.1:8000/a.png
    for source in http://203.0.114.1:8000/{a.png,public,loopback,mapped,decimal,metadata,file} \
      http://127.0.0.1:8000/a.png; do
      echo "$source $(curl -s --globoff -o "$folder/x" -w '%{http_code}' \
        "http://127.0.0.1:9000/unsafe/w:4/plain/$source")"
    done
    """#

  // MARK: Behind nginx

  @Test(.enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
  func theConfigurationOfNginxWorks() async throws {
    try await AsyncScratch.with { scratch in
      let options = try Self.local(scratch) + ["--formats", "webp", "--trusted-proxy", "192.0.2.1"]
      let addresses = ["FOLDER/easel.sock", "127.0.0.1:0"]
      try await Self.withProgram(options, addresses: addresses, in: scratch) { program in
        let example = try String(
          contentsOf: Self.repository.appendingPathComponent("Examples/Serve/nginx.conf"), encoding: .utf8)
        let nginx = try NginxFront(example: example, upstream: scratch.url("easel.sock").path)
        defer { nginx.stop() }
        let url = "https://localhost:\(nginx.securePort)\(Self.url("w:30", "1.png"))"
        func ask(_ url: String, _ more: String...) throws -> RawClient.Answer {
          let words = ["curl", "-sS", "-i", "--http2", "--cacert", nginx.authorityPath] + more
          return RawClient.Answer([UInt8](try Child.run(words + [url]).output))
        }
        let forged = ["-H", "X-Request-ID: forged", "-H", "X-Forwarded-For: 203.0.113.9"]
        let first = try ask(url, "-H", "Accept: image/avif,image/webp,*/*", forged[0], forged[1], forged[2], forged[3])
        #expect(first.text.hasPrefix("HTTP/2 200"), "\(first.text.prefix(300))")
        #expect(first.header("content-type") == "image/webp" && first.header("x-cache") == "MISS")
        #expect(first.header("vary") == "Accept")
        let second = try ask(url, "-H", "Accept: image/webp")
        #expect(second.header("x-cache") == "HIT" && second.body == first.body)
        let third = try ask(url, "-H", "Accept: */*")
        #expect(third.header("x-cache") == "MISS" && third.header("content-type") == "image/png")
        #expect(try ask("https://localhost:\(nginx.securePort)/ready").header("x-cache") == nil)
        #expect(try ask("https://localhost:\(nginx.securePort)/playground/options").text.hasPrefix("HTTP/2 404"))
        let plain = try ask("http://localhost:\(nginx.port)/a")
        #expect(plain.status == 301)
        program.send(SIGTERM)
        #expect(await program.waitForEnd() == .init(status: 0))
        let log = program.complaints.split(separator: "\n").filter { $0.contains("route=picture") }
        #expect(log.count == 2, "The answer from nginx's cache did not come here.")
        #expect(log.allSatisfy { $0.contains("remote=127.0.0.1 ") && !$0.contains("forged") }, "\(log)")
        // The cache answers while the server is away.
        #expect(try ask(url, "-H", "Accept: image/webp").body == first.body)
      }
    }
  }

  private static var repository: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }
}

/// A directory for tests that wait.
struct AsyncScratch: Sendable {
  let directory: URL

  var path: String { directory.path }

  static func with(_ body: (AsyncScratch) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("es-\(UUID().uuidString.prefix(13))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(AsyncScratch(directory: directory))
  }

  func url(_ name: String) -> URL { directory.appendingPathComponent(name) }

  /// An address in which `FOLDER` stands for this directory.
  func filled(_ address: String) -> String { address.replacing("FOLDER", with: directory.path) }
}
