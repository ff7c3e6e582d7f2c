import CEaselBenchSupport
import CEaselCurlBaseline
import EaselBenchmarkHarness
import EaselCore
import FoundationEssentials
import Glibc

/// Whole jobs: URLs of many pictures on a loopback server to 320-pixel JPEGs in a disk cache.
///
/// Server and client have one core each; the measured time is the processor time of all threads of the client.
func urlJobCases() -> [BenchmarkCase] {
  [
    BenchmarkCase(
      "processor time of thumbnails of URLs, cold", group: "job",
      against: "the same from files, and the transfer by curl in C", atMost: 1.15, mostPairs: 5
    ) {
      let files = try PictureFiles(.mixed, count: urlJobCount)
      let server = try PictureServer(files)
      let transfer = try BareTransfer(files, server)
      let fromFiles = try EaselThumbnails.job(files, side: 320, jobs: 1)
      return BenchmarkPair(
        subject: coldURLJob(files, server),
        baseline: processorTime {
          let usage = try await ClientProcess.run(fromFiles.command, looksAtMemory: $0)
          try fromFiles.check()
          return ClientProcess.Usage(
            processorSeconds: try usage.processorSeconds + transfer.processorSeconds(), peakBytes: usage.peakBytes)
        })
    },
    BenchmarkCase(
      "processor time of thumbnails of URLs, warm", group: "job", against: "cold", atMost: nil, mostPairs: 5
    ) {
      let files = try PictureFiles(.mixed, count: urlJobCount)
      let server = try PictureServer(files)
      let warm = URLJob.command(server.base, files: files, cache: try files.outputDirectory(of: "warm-cache"))
      _ = try await ClientProcess.run(warm, looksAtMemory: false)
      return BenchmarkPair(
        subject: processorTime { try await ClientProcess.run(warm, looksAtMemory: $0) },
        baseline: coldURLJob(files, server))
    },
  ]
}

/// The number of pictures of a job.
var urlJobCount: Int {
  switch Sampling.current {
  case .smoke: 10
  case .quick: 100
  default: 150
  }
}

/// Easel's job with an empty cache.
func coldURLJob(_ files: PictureFiles, _ server: PictureServer) -> BenchmarkSide {
  processorTime { looksAtMemory in
    let cache = try files.outputDirectory(of: "cold-cache")
    defer { try? FileManager.default.removeItem(atPath: cache) }
    return try await ClientProcess.run(
      URLJob.command(server.base, files: files, cache: cache), looksAtMemory: looksAtMemory)
  }
}

/// Work that reports its processor time and, on request, its peak memory.
private func processorTime(
  _ body: @escaping (_ looksAtMemory: Bool) async throws -> ClientProcess.Usage
) -> BenchmarkSide {
  .timed { repetitions in
    var seconds = 0.0
    for _ in 0..<repetitions { seconds += try await body(false).processorSeconds }
    return seconds
  }
  .withPeak { try await body(true).peakBytes }
}

/// A process on the client's core.
private enum ClientProcess {
  struct Usage {
    var processorSeconds: Double
    var peakBytes: Int?
  }

  static func run(_ command: [String], looksAtMemory: Bool) async throws -> Usage {
    let child = try ChildProcess(PictureServer.onClientCore(command))
    let memory = looksAtMemory ? GroupMemory(group: child.identifier) : nil
    let result = Result { try child.wait() }
    let peak = await memory?.stop()
    return Usage(processorSeconds: try result.get().processorSeconds, peakBytes: peak)
  }
}

/// The transfer alone, with curl's multi interface in C.
private final class BareTransfer {
  private let client = easel_baseline_client_create(6, nil)
  /// The URLs by the size of their bodies, because the client takes bodies of one size at a time.
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
    easel_bench_stay_on_core(CInt(PictureServer.clientCore))
    defer { easel_bench_stay_on_core(-1) }
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
