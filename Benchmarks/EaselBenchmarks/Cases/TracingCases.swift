import EaselBenchmarkHarness
import EaselCore
import EaselJPEG
import EaselManager
import EaselMemory
import EaselObserving
import EaselService
import EaselSupport
import EaselTiers
import EaselWebP
import FoundationEssentials
import Glibc

/// The processor time that traces cost a picture server: the same requests with and without them, in turn.
func tracingCases() -> [BenchmarkCase] {
  let photo = BenchmarkPicture(.photo, .jpeg, 1200, 900)
  return [
    BenchmarkCase(
      "a JPEG of 1 MP to 320 as WebP, every request traced", group: "service", against: "without traces", atMost: 1.01
    ) {
      let (traced, plain) = (try TracedService(photo, ratio: 1), try TracedService(photo, ratio: nil))
      return BenchmarkPair(subject: traced.making(20), baseline: plain.making(20))
    },
    BenchmarkCase(
      "a hit in memory, one of a hundred traced", group: "service", against: "without traces", atMost: 1.01
    ) {
      let (traced, plain) = (try TracedService(photo, ratio: 0.01), try TracedService(photo, ratio: nil))
      return BenchmarkPair(subject: try await traced.finding(2000), baseline: try await plain.finding(2000))
    },
    BenchmarkCase("a hit in memory, every request traced", group: "service", against: "without traces") {
      let (traced, plain) = (try TracedService(photo, ratio: 1), try TracedService(photo, ratio: nil))
      return BenchmarkPair(subject: try await traced.finding(2000), baseline: try await plain.finding(2000))
    },
  ]
}

/// A service whose sources are all the same picture in memory, and whose spans are written and then dropped.
private final class TracedService: Sendable {
  private let service: ImageService
  private let traces: OTLPTraces?
  private let lastNumber = Locked(0)

  init(_ picture: BenchmarkPicture, ratio: Double?) throws {
    let manager = ImageManager.Configuration(
      loader: MemoryLoader(bytes: ImageBytes(try picture.data())), coder: CoderRegistry([WebPCoder(), JPEGCoder()]),
      cache: TieredCache(memory: LRUMemoryStore(), disk: nil))
    var configuration = ImageService.Configuration(manager, signer: nil)
    configuration.sources = try SourceRules(allowing: ["https://images.example.com"])
    traces = ratio.map { ratio in
      OTLPTraces(version: "1", ratio: ratio) { body in
        blackHole(body.count)
        return true
      }
    }
    configuration.traces = traces
    service = ImageService(configuration)
  }

  private func request(_ number: Int) -> ServiceRequest {
    ServiceRequest(
      target: "/unsafe/rs:fit:320:320/f:webp/plain/https://images.example.com/folder/\(number).jpg",
      headers: ["Host": "pictures.example.com", "Accept": "image/avif,image/webp,*/*;q=0.8"])
  }

  /// Makes so many pictures that no cache has, for one repetition.
  func making(_ count: Int) -> BenchmarkSide {
    processorTime(of: count) { [self] in
      for _ in 0..<count {
        let number = lastNumber.withLock { number in
          number += 1
          return number
        }
        let answer = await service.response(to: request(number))
        guard answer.status == 200 else { throw JobFailure(description: "the service answers \(answer.status)") }
      }
    }
  }

  /// Asks so many times for a picture in memory, for one repetition.
  func finding(_ count: Int) async throws -> BenchmarkSide {
    let request = request(0)
    guard await service.response(to: request).status == 200, service.immediateResponse(to: request) != nil else {
      throw JobFailure(description: "the picture is not in memory")
    }
    return processorTime(of: count) { [self] in
      for _ in 0..<count { blackHole(service.immediateResponse(to: request)) }
    }
  }

  /// The processor time of one of so many requests, with that of writing their spans.
  private func processorTime(of count: Int, _ body: @escaping @Sendable () async throws -> Void) -> BenchmarkSide {
    .timed { [self] repetitions in
      let start = processorSeconds()
      for _ in 0..<repetitions {
        try await body()
        await traces?.flush()
      }
      return (processorSeconds() - start) / Double(count)
    }
  }
}

/// The processor time of this process.
private func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
