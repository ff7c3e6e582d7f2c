import EaselCore
import Foundation

/// moto on loopback: a server that behaves as S3 does, written for the tests of other clients.
public final class MotoServer: Sendable {
  /// The port.
  public let port: Int

  private let process: ServerProcess

  /// Starts a server and blocks until it answers.
  public init() throws {
    guard let python = Self.python else { throw ServerFailure(Self.missing ?? "Python is gone.") }
    let directory = try ServerDirectory.make("moto")
    let application = """
      from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
      application = DomainDispatcherApplication(create_backend_app)
      """
    try application.write(toFile: directory + "/easel_moto.py", atomically: false, encoding: .utf8)
    let socket = try ListeningSocket()
    let options = [
      "--bind", "fd://\(ServerProcess.firstSocket)", "--workers", "1", "--threads", "16", "--graceful-timeout", "1",
      "--no-control-socket", "--worker-tmp-dir", directory, "--chdir", directory, "--log-level", "warning",
    ]
    process = try ServerProcess(
      [python, "-m", "gunicorn"] + options + ["easel_moto:application"],
      directory: directory, stoppedBy: "QUIT", sockets: [socket])
    port = socket.port
    guard Probe.answers(port: port, path: "/moto-api/") else {
      throw ServerFailure("moto does not answer: \(ServerDirectory.complaints(in: directory, ["output"]))")
    }
  }

  /// The software that must be installed first; nil if nothing is missing.
  public static var missing: String? {
    python == nil ? "no Python with moto and gunicorn in $EASEL_PYTHON or .venv; script/bootstrap makes one" : nil
  }

  /// True when everything that the server needs is installed.
  public static var isAvailable: Bool { missing == nil }

  /// One server for all tests of the process.
  public static func shared() async throws -> MotoServer { try await sharedServer.get() }

  private static let sharedServer = SharedServer { try MotoServer() }

  /// The URL of the server.
  public var url: URL { URL(string: "http://127.0.0.1:\(port)")! }

  /// Stops the server.
  public func stop() { process.stop() }

  private static let python: String? = PythonWithModules.find(["moto.server", "gunicorn"])
}
