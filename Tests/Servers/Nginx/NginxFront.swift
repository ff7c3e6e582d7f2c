import Foundation

/// nginx with the configuration of an example, in which ports, files and the address behind it are replaced.
public final class NginxFront: Sendable {
  /// The port of HTTP.
  public let port: Int
  /// The port of HTTP/2 over TLS.
  public let securePort: Int
  /// The certificate that a client must trust.
  public let authorityPath: String

  private let process: ServerProcess

  /// Starts the server, which checks its configuration, and blocks until it answers.
  ///
  /// `upstream` is the Unix socket of the server behind it.
  public init(example: String, upstream: String) throws {
    guard let nginx = Program.path("nginx"), let openssl = Program.path("openssl") else {
      throw ServerFailure(NginxServer.missing ?? "nginx is gone.")
    }
    let directory = try ServerDirectory.make("nginx-front")
    do {
      let sockets = try (0..<2).map { _ in try ListeningSocket() }
      let certificates = try ServerCertificates(openssl: openssl, directory: directory)
      let path = directory + "/nginx.conf"
      let text = try Self.replaced(
        example,
        [
          ("listen 80;", "listen 127.0.0.1:\(sockets[0].port);"), ("listen [::]:80;", ""),
          ("listen 443 ssl", "listen 127.0.0.1:\(sockets[1].port) ssl"), ("listen [::]:443 ssl http2;", ""),
          ("user www-data;", geteuid() == 0 ? "daemon off; user root;" : "daemon off;"),
          ("/run/nginx.pid", "\(directory)/nginx.pid"), ("/run/easel.sock", upstream),
          ("/var/log/nginx/", "\(directory)/"), ("/var/cache/nginx/pictures", "\(directory)/cache"),
          ("/etc/ssl/pictures.pem", certificates.authorityPath),
          ("/etc/ssl/private/pictures.key", certificates.keyPath),
          ("worker_processes auto;", "worker_processes 1;"), ("http {", "http { \(Self.temporaryPaths(directory))"),
        ])
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      let words = ["-p", directory, "-e", directory + "/error.log", "-c", path]
      let numbers = sockets.indices.map { "\(ServerProcess.firstSocket + CInt($0));" }.joined()
      process = try ServerProcess(
        [nginx] + words, directory: directory, stoppedBy: "TERM", sockets: sockets, environment: ["NGINX": numbers])
      guard Probe.answers(port: sockets[0].port) else {
        throw ServerFailure(
          "nginx does not answer: \(ServerDirectory.complaints(in: directory, ["error.log", "output"]))")
      }
      (port, securePort) = (sockets[0].port, sockets[1].port)
      authorityPath = certificates.authorityPath
    } catch {
      try? FileManager.default.removeItem(atPath: directory)
      throw error
    }
  }

  /// Stops the server and removes its files.
  public func stop() { process.stop() }

  /// Throws if the example does not have one of the texts, because the server would then use what is not its own.
  private static func replaced(_ example: String, _ pairs: [(String, String)]) throws -> String {
    var text = example
    for (old, new) in pairs {
      guard text.contains(old) else { throw ServerFailure("The example has no '\(old)'.") }
      text = text.replacing(old, with: new)
    }
    return text
  }

  private static func temporaryPaths(_ directory: String) -> String {
    ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory)/\($0);" }
      .joined(separator: " ")
  }
}
