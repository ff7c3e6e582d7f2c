import EaselCore
import Foundation
import Glibc

/// A Redis on loopback and on a Unix socket, which keeps nothing on disk.
public final class RedisServer: Sendable {
  /// The port.
  public let port: Int
  /// The path of the Unix socket.
  public let socketPath: String
  /// The process itself.
  public let processID: pid_t

  private let process: ServerProcess

  /// Starts a server with these further options, and blocks until it answers.
  ///
  /// `program` is `redis-server` or `redis-sentinel`, which reads its settings from the file `settings`.
  public init(port: Int? = nil, _ options: [String] = [], settings: String? = nil, files: [String: Data] = [:]) throws {
    guard let program = Program.path(settings == nil ? "redis-server" : "redis-sentinel") else {
      throw ServerFailure(Self.missing ?? "redis-sentinel is missing; script/bootstrap installs it")
    }
    let directory = try ServerDirectory.make("redis")
    for (name, data) in files { try data.write(to: URL(fileURLWithPath: directory + "/" + name)) }
    socketPath = directory + "/socket"
    let chosen = try port ?? FreePort.find()
    self.port = chosen
    var command = [program]
    if let settings {
      try settings.write(toFile: directory + "/settings", atomically: false, encoding: .utf8)
      command.append(directory + "/settings")
    }
    command += [
      "--port", "\(chosen)", "--bind", "127.0.0.1", "--unixsocket", socketPath, "--dir", directory, "--save", "",
      "--appendonly", "no", "--daemonize", "no", "--pidfile", directory + "/pid",
    ]
    process = try ServerProcess(
      command + options.map { $0.replacingOccurrences(of: "$DIRECTORY", with: directory) }, directory: directory,
      stoppedBy: "TERM", sockets: [])
    guard let identifier = Self.waitForStart(socketPath, directory + "/pid") else {
      process.stop()
      throw ServerFailure("Redis does not answer: \(ServerDirectory.complaints(in: directory, ["output"]))")
    }
    processID = identifier
  }

  /// The software that must be installed first; nil if nothing is missing.
  public static var missing: String? {
    Program.path("redis-server") == nil ? "redis-server is missing; script/bootstrap installs it" : nil
  }

  /// True when everything that the server needs is installed.
  public static var isAvailable: Bool { missing == nil }

  /// One server for all tests of the process.
  public static func shared() async throws -> RedisServer { try await sharedServer.get() }

  private static let sharedServer = SharedServer { try RedisServer() }

  /// Stops the server.
  public func stop() { process.stop() }

  /// Lets the server stand still, as a machine without processor time does.
  public func freeze() { kill(processID, SIGSTOP) }

  /// Lets a frozen server go on.
  public func thaw() { kill(processID, SIGCONT) }

  /// Runs a command of Redis by `redis-cli`, and returns what it prints.
  @discardableResult
  public func run(_ words: String...) throws -> String {
    guard let program = Program.path("redis-cli") else { throw ServerFailure("redis-cli is missing") }
    let output = try Program.run(program, ["-s", socketPath] + words)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Waits until the server listens; returns its process.
  private static func waitForStart(_ socketPath: String, _ pidPath: String) -> pid_t? {
    for _ in 0..<4000 {
      if Probe.accepts(unixSocket: socketPath),
        let text = try? String(contentsOfFile: pidPath, encoding: .utf8),
        let identifier = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines))
      {
        return identifier
      }
      usleep(5000)
    }
    return nil
  }
}
