import CEaselCurlBaseline
import EaselBenchmarkHarness
import EaselCore
import FoundationEssentials
import Glibc

/// Whole jobs: URLs of many pictures on a server on loopback to 320-pixel JPEGs in a disk cache.
///
/// Server and client have a core each; the time is that which the client's process spends, whoever of its threads does.
func urlJobCases() -> [BenchmarkCase] {
  [
    BenchmarkCase(
      "processor time of thumbnails of URLs, cold", group: "job", against: "the same from files, and curl in C",
      atMost: 1.15, mostPairs: 3
    ) {
      let files = try PictureFiles(.mixed, count: count)
      let server = try PictureServer(files)
      let transfer = try BareTransfer(files, server)
      let fromFiles = try EaselThumbnails.job(files, side: 320, jobs: 1)
      return BenchmarkPair(
        subject: processorTime {
          try CacheDirectory { try spent(by: URLJob.command(server.base, files: files, cache: $0)) }.result
        },
        baseline: processorTime {
          let decoding = try spent(by: fromFiles.command)
          try fromFiles.check()
          return try decoding + transfer.processorSeconds()
        })
    },
    BenchmarkCase(
      "processor time of thumbnails of URLs, warm", group: "job", against: "cold", atMost: nil, mostPairs: 3
    ) {
      let files = try PictureFiles(.mixed, count: count)
      let server = try PictureServer(files)
      let warm = try files.outputDirectory(of: "warm-cache")
      _ = try spent(by: URLJob.command(server.base, files: files, cache: warm))
      return BenchmarkPair(
        subject: processorTime { try spent(by: URLJob.command(server.base, files: files, cache: warm)) },
        baseline: processorTime {
          try CacheDirectory { try spent(by: URLJob.command(server.base, files: files, cache: $0)) }.result
        })
    },
  ]
}

private var count: Int {
  switch Sampling.current {
  case .smoke: 10
  case .quick: 100
  default: 1000
  }
}

private func spent(by command: [String]) throws -> Double {
  try ChildProcess(PictureServer.onClientCore(command)).wait().processorSeconds
}

private func processorTime(_ body: @escaping () throws -> Double) -> BenchmarkSide {
  .timed { repetitions in try (0..<repetitions).reduce(0) { sum, _ in try sum + body() } }
}

/// An empty directory that is there while it is used.
private struct CacheDirectory {
  let result: Double

  init(_ body: (String) throws -> Double) throws {
    let path = FileManager.default.temporaryDirectory.path + "/easel-benchmark-cache-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    result = try body(path)
  }
}

/// The transfer alone, by curl's multi interface in C.
private final class BareTransfer {
  private let client = easel_baseline_client_create(6, nil)
  /// The client takes bodies of one size at a time.
  private var urls: [Int: [UnsafePointer<CChar>?]] = [:]

  init(_ files: PictureFiles, _ server: PictureServer) throws {
    for (name, path) in zip(files.names, files.paths) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError(code: errno) }
      urls[status.st_size, default: []].append(UnsafePointer(strdup("\(server.base)/\(name)")))
    }
  }

  deinit {
    easel_baseline_client_destroy(client)
    for url in urls.values.joined() { free(UnsafeMutablePointer(mutating: url)) }
  }

  func processorSeconds() throws -> Double {
    let before = Self.spent()
    for (size, urls) in urls {
      guard easel_baseline_client_load(client, urls, urls.count, size) else {
        throw JobFailure(description: "a body is not whole")
      }
    }
    return Self.spent() - before
  }

  private static func spent() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
