import EaselCore
import Foundation

/// nginx on loopback: HTTP/1.1 on one port, HTTP/2 over TLS on another, and a third port for clients with a
/// certificate.
///
/// Files of its document root are served under `/`, with entity tags, conditions and ranges. They are also served under
/// `/slow/` (64 KiB a second), `/gzip/` (compressed for clients that accept it), `/fresh/` (fresh for an hour),
/// `/stale/` (revalidated each time), `/private/` (no-store), `/plain/` (no validators, no ranges), `/dav/` (WebDAV for the user `easel` with the password `opensesame`), `/moved/301/` (302,
/// 303, 307, 308: redirects), `/secure/` and `/insecure/` (redirects to the other scheme). `/loop` redirects to itself,
/// `/protocol` returns the protocol, the connection's number and the number of requests on it, and `/ok` returns ok.
public final class NginxServer: Sendable {
  /// The directory of the served files; new files are served at once.
  public let documentRoot: String
  /// The port of HTTP/1.1.
  public let port: Int
  /// The port of HTTP/2 and HTTP/1.1 over TLS.
  public let securePort: Int
  /// The TLS port for clients that present the right certificate.
  public let strictPort: Int
  /// The certificates of the server and its clients.
  public let certificates: ServerCertificates

  private let process: ServerProcess

  /// Starts a server and blocks until it answers; without a document root it makes an empty one.
  public init(documentRoot: String? = nil) throws {
    guard let nginx = Program.path("nginx"), let openssl = Program.path("openssl") else {
      throw ServerFailure(Self.missing ?? "nginx is gone.")
    }
    let directory = try ServerDirectory.make("nginx")
    do {
      let root = documentRoot ?? directory + "/root"
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      let sockets = try (0..<3).map { _ in try ListeningSocket() }
      let certificates = try ServerCertificates(openssl: openssl, directory: directory)
      let configuration = NginxConfiguration(
        directory: directory, documentRoot: root, certificates: certificates, port: sockets[0].port,
        securePort: sockets[1].port, strictPort: sockets[2].port)
      let path = directory + "/nginx.conf"
      try NginxConfiguration.users.write(toFile: configuration.usersPath, atomically: false, encoding: .utf8)
      try configuration.text.write(toFile: path, atomically: false, encoding: .utf8)
      let numbers = sockets.indices.map { "\(ServerProcess.firstSocket + CInt($0));" }.joined()
      process = try ServerProcess(
        [nginx, "-p", directory, "-e", directory + "/error.log", "-c", path], directory: directory, stoppedBy: "TERM",
        sockets: sockets, environment: ["NGINX": numbers])
      guard Probe.answers(port: sockets[0].port, path: "/ok") else {
        let complaints = ServerDirectory.complaints(in: directory, ["error.log", "output"])
        throw ServerFailure("nginx does not answer: \(complaints)")
      }
      self.documentRoot = root
      self.certificates = certificates
      (port, securePort, strictPort) = (sockets[0].port, sockets[1].port, sockets[2].port)
    } catch {
      try? FileManager.default.removeItem(atPath: directory)
      throw error
    }
  }

  /// The software that must be installed first; nil if nothing is missing.
  public static var missing: String? {
    let absent = ["nginx", "openssl"].filter { Program.path($0) == nil }
    return absent.isEmpty ? nil : "\(absent.joined(separator: " and ")) not installed; script/bootstrap does it"
  }

  /// True when everything that the server needs is installed.
  public static var isAvailable: Bool { missing == nil }

  /// One server for all tests of the process; tests that add files make their own directory in its document root.
  public static func shared() async throws -> NginxServer { try await sharedServer.get() }

  private static let sharedServer = SharedServer { try NginxServer() }

  /// The URL of a path over HTTP/1.1.
  public func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  /// The URL of a path over TLS.
  public func secureURL(_ path: String) -> URL { URL(string: "https://127.0.0.1:\(securePort)\(path)")! }

  /// The URL of a path on the port that asks for a client certificate.
  public func strictURL(_ path: String) -> URL { URL(string: "https://127.0.0.1:\(strictPort)\(path)")! }

  /// Writes a file to the document root and makes the directories on its path.
  public func put(_ bytes: [UInt8], at path: String) throws {
    let file = URL(fileURLWithPath: documentRoot + path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
  }

  /// Stops the server and removes its files; a document root given by the caller stays.
  public func stop() { process.stop() }
}
