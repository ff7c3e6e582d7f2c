import Easel
import EaselBenchmarkHarness
import EaselSupport
import FoundationEssentials

/// The job with URLs, by a service that makes each thumbnail on request; the client's cost is not counted.
func thumborCases() -> [BenchmarkCase] {
  [
    BenchmarkCase(
      "processor time of thumbnails of URLs, cold", group: "job", against: "thumbor", atMost: 1, mostPairs: 5
    ) {
      let files = try PictureFiles(.mixed, count: urlJobCount)
      let server = try PictureServer(files)
      let service = try ThumborService(files.outputDirectory(of: "thumbor"))
      let urls = files.names.map { service.url(of: "\(server.base)/\($0)") }
      return BenchmarkPair(
        subject: coldURLJob(files, server),
        baseline: .timed { repetitions in
          var seconds = 0.0
          for _ in 0..<repetitions {
            service.forget()
            let before = try service.processorSeconds()
            try await askForAll(urls)
            seconds += try service.processorSeconds() - before
          }
          return seconds
        }
        .withPeak { try await service.peakBytes { try await askForAll(urls) } })
    }
  ]
}

/// Sends six requests at a time, as many as the other side loads.
private func askForAll(_ urls: [String]) async throws {
  let loads = ImageManager(.init(loader: LoaderChain.standard(), coder: .standard, cache: TieredCache()))
  let next = Locked(0)
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<6 {
      group.addTask {
        while let index = next.next(below: urls.count) {
          let bytes = try await loads.bytes(for: ImageRequest(urls[index], options: .fromLoaderOnly))
          guard try bytes.prefix(2) == [0xFF, 0xD8] else { throw JobFailure(description: "thumbor made no JPEG") }
        }
      }
    }
    try await group.waitForAll()
  }
  await loads.close()
}
