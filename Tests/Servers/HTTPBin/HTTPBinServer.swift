import EaselCore
import Foundation

/// httpbin under gunicorn on loopback: answers of every kind, written for other clients than this one.
///
/// `/status/CODE`, `/redirect/N`, `/basic-auth/USER/PASSWORD`, `/digest-auth/auth/USER/PASSWORD`, `/bearer`, `/gzip`,
/// `/brotli`, `/deflate`, `/cookies/set`, `/etag/TAG`, `/cache/SECONDS`, `/range/N`, `/delay/SECONDS`, `/drip`,
/// `/image/png` and more.
public final class HTTPBinServer: Sendable {
  /// The port.
  public let port: Int

  private let process: ServerProcess

  /// Starts a server and blocks until it answers.
  public init() throws {
    guard let python = Self.python else { throw ServerFailure(Self.missing ?? "Python is gone.") }
    let directory = try ServerDirectory.make("httpbin")
    let socket = try ListeningSocket()
    let options = [
      "--bind", "fd://\(ServerProcess.firstSocket)", "--workers", "1", "--threads", "16", "--graceful-timeout", "1",
      "--no-control-socket", "--worker-tmp-dir", directory, "--chdir", directory, "--log-level", "warning",
    ]
    process = try ServerProcess(
      [python, "-m", "gunicorn"] + options + ["httpbin:app"], directory: directory, stoppedBy: "QUIT",
      sockets: [socket])
    port = socket.port
    guard Probe.answers(port: port, path: "/status/200") else {
      throw ServerFailure("httpbin does not answer: \(ServerDirectory.complaints(in: directory, ["output"]))")
    }
  }

  /// The software that must be installed first; nil if nothing is missing.
  public static var missing: String? {
    python == nil ? "no Python with httpbin and gunicorn in $EASEL_PYTHON or .venv; script/bootstrap makes one" : nil
  }

  /// True when everything that the server needs is installed.
  public static var isAvailable: Bool { missing == nil }

  /// One server for all tests of the process.
  public static func shared() async throws -> HTTPBinServer { try await sharedServer.get() }

  private static let sharedServer = SharedServer { try HTTPBinServer() }

  /// The URL of a path.
  public func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

  /// Stops the server.
  public func stop() { process.stop() }

  private static let python: String? = PythonWithModules.find(["httpbin", "gunicorn"])
}
