import CEaselBenchSupport
import EaselBenchmarkHarness
import EaselTestServers
import Glibc

/// nginx on its own core, with the files of a job.
final class PictureServer {
  /// The core of the client.
  static let clientCore = 1

  let base: String
  private let server: NginxServer

  init(_ files: PictureFiles) throws {
    if let missing = NginxServer.missing { throw BenchmarkUnavailable(missing) }
    guard sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 else { throw BenchmarkUnavailable("there is only one core") }
    // A process inherits the cores of the thread that starts it.
    easel_bench_stay_on_core(0)
    defer { easel_bench_stay_on_core(-1) }
    server = try NginxServer(documentRoot: files.directory)
    base = server.url("").absoluteString
  }

  deinit { server.stop() }

  /// A command on the client's core.
  static func onClientCore(_ command: [String]) throws -> [String] {
    [try InstalledProgram.path("taskset"), "-c", "\(clientCore)"] + command
  }
}
