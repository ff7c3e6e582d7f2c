import EaselCore
import Foundation
import Glibc

/// A Redis on loopback and on a Unix socket, which keeps nothing on disk.
public final class RedisServer: Sendable {
  /// The port.
  public var port: Int { heldPort.number }
  /// The port on which servers of a cluster speak to each other.
  var clusterPort: Int { heldClusterPort.number }
  /// The path of the Unix socket.
  public let socketPath: String
  /// The certificates of a server that speaks TLS.
  public let certificates: ServerCertificates?
  /// The process itself.
  public let processID: pid_t

  private let heldPort: HeldPort
  private let heldClusterPort: HeldPort
  private let process: ServerProcess

  /// Starts a server with these further options, and blocks until it answers.
  ///
  /// With `settings` it is a sentinel, which reads them. With `tls` it speaks TLS alone. In a cluster it has no slots yet.
  public init(
    _ options: [String] = [], settings: String? = nil, tls: Bool = false, inCluster: Bool = false
  ) throws {
    guard let program = Program.path(settings == nil ? "redis-server" : "redis-sentinel") else {
      throw ServerFailure(Self.missing ?? "redis-sentinel is missing; script/bootstrap installs it")
    }
    let directory = try ServerDirectory.make("redis")
    socketPath = directory + "/socket"
    let heldPort = try HeldPort()
    self.heldPort = heldPort
    let heldClusterPort = try HeldPort()
    self.heldClusterPort = heldClusterPort
    var command = [program]
    if tls {
      guard let openssl = Program.path("openssl") else { throw ServerFailure("openssl is missing") }
      let made = try ServerCertificates(openssl: openssl, directory: directory)
      command += [
        "--tls-cert-file", made.authorityPath, "--tls-key-file", made.keyPath, "--tls-ca-cert-file", made.authorityPath,
        "--tls-auth-clients", "no",
      ]
      certificates = made
    } else {
      certificates = nil
    }
    if let settings {
      try settings.write(toFile: directory + "/settings", atomically: false, encoding: .utf8)
      command.append(directory + "/settings")
    }
    command += [
      "--port", tls ? "0" : "\(heldPort.number)", "--tls-port", tls ? "\(heldPort.number)" : "0",
      "--bind", "127.0.0.1", "--unixsocket", socketPath, "--dir", directory, "--save", "", "--appendonly", "no",
      "--daemonize", "no", "--pidfile", directory + "/pid",
    ]
    if inCluster {
      command += [
        "--cluster-enabled", "yes", "--cluster-config-file", "nodes", "--cluster-port", "\(heldClusterPort.number)",
      ]
    }
    process = try ServerProcess(
      command + options, directory: directory, stoppedBy: "TERM", sockets: [])
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
    let output = try Program.run(program, ["-s", socketPath, "--raw"] + words)
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Runs the benchmark that comes with Redis; returns the requests in a second.
  public func benchmark(_ options: String...) throws -> Double {
    guard let program = Program.path("redis-benchmark") else { throw ServerFailure("redis-benchmark is missing") }
    let output = String(decoding: try Program.run(program, ["-p", "\(port)", "--csv"] + options), as: UTF8.self)
    // The second field of the last line is the number of requests in a second.
    guard let fields = output.split(separator: "\n").last?.split(separator: ","), fields.count > 1,
      let rate = Double(fields[1].filter { $0 != "\"" }), rate > 0
    else { throw ServerFailure("redis-benchmark printed \(output.prefix(200))") }
    return rate
  }

  /// Blocks until a condition holds, which is checked often; an error means that it does not hold yet.
  public func wait(_ name: String, until holds: () throws -> Bool) throws {
    var last = ""
    for _ in 0..<2000 {
      do {
        if try holds() { return }
        last = "it does not hold"
      } catch {
        last = "\(error)"
      }
      usleep(20_000)
    }
    throw ServerFailure("Redis has waited 40 seconds for \(name); seen last: \(last).")
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
