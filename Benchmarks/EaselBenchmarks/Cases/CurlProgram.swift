import FoundationEssentials
import Glibc

/// A client that loads the files of a ``CurlLoad`` repeatedly, in a separate process that runs this same program.
///
/// Clients that share a heap would pay for each other's allocations.
enum CurlProgram {
  static let word = "curl-client"

  enum Client: String { case loader, curlInC, urlSession }

  enum Measure: String {
    case time
    /// The processor time of all threads of the process.
    case processorTime
  }

  /// Starts a client; it has loaded all files once when this returns.
  static func process(_ client: Client, _ load: CurlLoad, _ measure: Measure = .time) async throws -> RepeatingProcess {
    let (server, directory) = try await load.serve()
    let authorities = load.isEncrypted ? server.certificates.authorityPath : ""
    return try RepeatingProcess(
      [
        InstalledProgram.own, word, client.rawValue, measure.rawValue, "\(load.transfers)", "\(load.bytes)",
        "\(load.count)", directory, authorities,
      ], lacking: "what it needs")
  }

  /// Runs as a client; the arguments follow the command word.
  static func run(_ arguments: [String]) async throws {
    guard arguments.count == 7, let client = Client(rawValue: arguments[0]),
      let measure = Measure(rawValue: arguments[1]),
      let transfers = Int(arguments[2]), let bytes = Int(arguments[3]), let count = Int(arguments[4])
    else { throw JobFailure(description: "a client was told \(arguments)") }
    let files = CurlFiles(
      directory: arguments[5], count: count, bytes: bytes, transfers: transfers,
      authorities: arguments[6].isEmpty ? nil : arguments[6])
    let loadAll = try self.client(client, files)
    try await loadAll()
    tell("ready")
    while let repetitions = readLine().flatMap({ Int($0) }) {
      let start = seconds(measure)
      for _ in 0..<repetitions { try await loadAll() }
      tell("\(seconds(measure) - start)")
    }
  }

  private static func client(_ client: Client, _ files: CurlFiles) throws -> @Sendable () async throws -> Void {
    switch client {
    case .loader:
      let loader = LoaderClient(files)
      return { try await loader.loadAll() }
    case .curlInC:
      let program = CurlClient(files)
      return { try program.loadAll() }
    case .urlSession:
      let session = FoundationClient(files)
      return { try await session.loadAll() }
    }
  }

  private static func seconds(_ measure: Measure) -> Double {
    var time = timespec()
    clock_gettime(measure == .time ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  private static func tell(_ line: String) {
    print(line)
    fflush(nil)
  }
}
