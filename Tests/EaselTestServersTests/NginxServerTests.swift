import EaselTestServers
import EaselTestSupport
import EaselTestTags
import Foundation
import Testing

@Suite(.tags(.alone), .enabled(if: NginxServer.isAvailable, "\(NginxServer.missing ?? "")"))
struct NginxServerTests {
  private let body = ServerBody.bytes(3000)

  private func server(with path: String) async throws -> NginxServer {
    let server = try await NginxServer.shared()
    try server.put(body, at: path)
    return server
  }

  @Test func aFileHasValidatorsAndParts() async throws {
    let server = try await server(with: "/whole/a.png")
    let whole = try await RawClient.get("/whole/a.png", from: server.port)
    #expect(whole.status == 200)
    #expect(whole.body == body)
    #expect(whole.header("Content-Type") == "image/png")
    #expect(whole.header("Last-Modified") != nil)
    let tag = try #require(whole.header("ETag"))
    let again = try await RawClient.get("/whole/a.png", from: server.port, headers: ["If-None-Match: \(tag)"])
    #expect(again.status == 304)
    let part = try await RawClient.get(
      "/whole/a.png", from: server.port, headers: ["Range: bytes=100-199", "If-Range: \(tag)"])
    #expect(part.status == 206)
    #expect(part.body == Array(body[100..<200]))
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func redirectsLeadToTheFile(status: Int) async throws {
    let server = try await server(with: "/redirects/a.bin")
    let answer = try await RawClient.get("/moved/\(status)/redirects/a.bin", from: server.port)
    #expect(answer.status == status)
    #expect(answer.header("Location") == "http://test:\(server.port)/redirects/a.bin")
  }

  @Test func redirectsLeadToTheOtherScheme() async throws {
    let server = try await NginxServer.shared()
    let up = try await RawClient.get("/secure/a.bin", from: server.port)
    #expect(up.header("Location") == server.secureURL("/a.bin").absoluteString)
    let down = try await RawClient.get("/insecure/a.bin", from: server.port)
    #expect(down.header("Location") == server.url("/a.bin").absoluteString)
  }

  @Test func whoTakesGzipGetsIt() async throws {
    let server = try await server(with: "/packed/a.txt")
    let packed = try await RawClient.get("/gzip/packed/a.txt", from: server.port, headers: ["Accept-Encoding: gzip"])
    #expect(packed.header("Content-Encoding") == "gzip")
    let plain = try await RawClient.get("/gzip/packed/a.txt", from: server.port)
    #expect(plain.header("Content-Encoding") == nil)
    #expect(plain.body == body)
  }

  @Test(arguments: [("fresh", "max-age=3600"), ("stale", "max-age=0, must-revalidate"), ("private", "no-store")])
  func pathsSayHowLongTheyAreGood(path: String, policy: String) async throws {
    let server = try await server(with: "/policies/a.png")
    let answer = try await RawClient.get("/\(path)/policies/a.png", from: server.port)
    #expect(answer.status == 200)
    #expect(answer.header("Cache-Control") == policy)
  }

  @Test func aPlainFileHasNothingToResumeWith() async throws {
    let server = try await server(with: "/plainly/a.png")
    let answer = try await RawClient.get("/plain/plainly/a.png", from: server.port, headers: ["Range: bytes=1-2"])
    #expect(answer.status == 200)
    #expect(answer.header("ETag") == nil)
    #expect(answer.header("Accept-Ranges") == nil)
  }

  @Test func theProtocolIsTold() async throws {
    let server = try await NginxServer.shared()
    let words = try await RawClient.get("/protocol", from: server.port).text.split(separator: " ")
    #expect(words.last == "1")
    #expect(words.contains { $0.hasSuffix("HTTP/1.1") })
  }

  @Test func aClientThatTrustsTheAuthorityGetsHTTP2() async throws {
    let server = try await NginxServer.shared()
    let trusting = ["-CAfile", server.certificates.authorityPath, "-verify_ip", "127.0.0.1"]
    let talk = try handshake(server.securePort, trusting)
    #expect(talk.contains("ALPN protocol: h2"))
    #expect(talk.contains("Verify return code: 0 (ok)"))
    let doubting = try handshake(server.securePort, [])
    #expect(doubting.contains("Verify return code: 18"))
  }

  @Test func thePinIsThatOfTheCertificate() async throws {
    let server = try await NginxServer.shared()
    let openssl = try #require(Self.openssl)
    let command = """
      \(openssl) x509 -in \(server.certificates.authorityPath) -pubkey -noout | \(openssl) pkey -pubin -outform DER \
      | \(openssl) dgst -sha256 -binary | base64
      """
    let pin = try run("/bin/sh", ["-c", command]).trimmingCharacters(in: .whitespacesAndNewlines)
    #expect(server.certificates.publicKeyPin == "sha256//\(pin)")
  }

  @Test func theStrictPortWantsACertificate() async throws {
    let server = try await NginxServer.shared()
    let certificates = server.certificates
    let known = ["-cert", certificates.clientCertificatePath, "-key", certificates.clientKeyPath]
    #expect(try request("/ok", server.strictPort, known).contains("200 OK"))
    #expect(try request("/ok", server.strictPort, []).contains("400 Bad Request"))
  }

  @Test func aServerHasItsOwnRootAndLeavesNothing() async throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("easel-root-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    let server = try NginxServer(documentRoot: root)
    try server.put([1, 2, 3], at: "/a.bin")
    #expect(try await RawClient.get("/a.bin", from: server.port).body == [1, 2, 3])
    let directory = URL(fileURLWithPath: server.certificates.authorityPath).deletingLastPathComponent().path
    #expect(FileManager.default.fileExists(atPath: directory))
    server.stop()
    server.stop()
    #expect(!FileManager.default.fileExists(atPath: directory))
    #expect(FileManager.default.fileExists(atPath: root + "/a.bin"))
    #expect(throws: (any Error).self) { try RawClient(port: server.port) }
  }

  @Test func aServerThatCannotStartSaysWhy() async throws {
    #expect(throws: (any Error).self) { try NginxServer(documentRoot: "/dev/null/nowhere") }
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    // The name ends the quotation in the configuration.
    let error = #expect(throws: ServerFailure.self) { try NginxServer(documentRoot: directory + "/\"; nonsense \"") }
    #expect(error?.description.contains("nonsense") == true)
  }

  private static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private func handshake(_ port: Int, _ options: [String]) throws -> String {
    try run(
      try #require(Self.openssl), ["s_client", "-connect", "127.0.0.1:\(port)", "-alpn", "h2,http/1.1"] + options)
  }

  /// Sends one request over HTTP/1.1 in TLS.
  private func request(_ path: String, _ port: Int, _ options: [String]) throws -> String {
    let text = "GET \(path) HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n"
    let openssl = try #require(Self.openssl)
    let client = ([openssl, "s_client", "-quiet", "-connect", "127.0.0.1:\(port)"] + options).joined(separator: " ")
    return try run("/bin/sh", ["-c", "printf '\(text)' | \(client)"])
  }

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self)
  }
}
