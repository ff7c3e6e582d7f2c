import Foundation

/// A memcached on loopback.
public final class MemcachedProcess: Sendable {
  /// The port.
  public var port: Int { heldPort.number }

  private let heldPort: HeldPort
  private let process: ServerProcess

  /// Starts a server with these further options, and blocks until it answers.
  public init(_ options: [String] = []) throws {
    guard let program = Program.path("memcached") else { throw ServerFailure(Self.missing ?? "memcached is missing") }
    let directory = try ServerDirectory.make("memcached")
    let heldPort = try HeldPort()
    self.heldPort = heldPort
    process = try ServerProcess(
      [program, "-u", "nobody", "-l", "127.0.0.1", "-p", "\(heldPort.number)", "-U", "0", "-I", "4m"] + options,
      directory: directory, stoppedBy: "TERM", sockets: [])
    guard Probe.accepts(port: heldPort.number) else {
      process.stop()
      throw ServerFailure("memcached does not answer: \(ServerDirectory.complaints(in: directory, ["output"]))")
    }
  }

  /// The software that must be installed first; nil if nothing is missing.
  public static var missing: String? {
    Program.path("memcached") == nil ? "memcached is missing; script/bootstrap installs it" : nil
  }

  /// True when everything that the server needs is installed.
  public static var isAvailable: Bool { missing == nil }

  /// One server for all tests of the process.
  public static func shared() async throws -> MemcachedProcess { try await sharedServer.get() }

  private static let sharedServer = SharedServer { try MemcachedProcess() }

  /// Stops the server.
  public func stop() { process.stop() }
}
