import EaselBenchmarkHarness
import EaselCore
import EaselJPEG
import EaselManager
import EaselSupport
import EaselTiers
import FoundationEssentials

/// The cost of an urgent load beside a crowd of others.
func urgentCases() -> [BenchmarkCase] {
  [
    BenchmarkCase(
      "urgent load beside 1,000 of low priority, JPEG 12 MP to 320 px", group: "manager",
      against: "the same load alone",
      atMost: 3
    ) {
      let crowd = try Crowd(of: 1000)
      return BenchmarkPair(
        subject: .timed { repetitions in
          await crowd.gather()
          return try await crowd.seconds(ofUrgentLoads: repetitions)
        },
        baseline: .timed { repetitions in
          await crowd.disperse()
          return try await crowd.seconds(ofUrgentLoads: repetitions)
        })
    }
  ]
}

/// Loads of low priority, each of which is followed by the next.
private final class Crowd: Sendable {
  private struct State {
    var isGathered = false
    var tasks: [Task<Void, Never>] = []
    var lastNumber = 0
  }

  private let size: Int
  private let manager: ImageManager
  private let state = Locked(State())

  init(of size: Int) throws {
    self.size = size / debugDivisor
    let bytes = ImageBytes(try BenchmarkPicture(.photo, .jpeg, 4000, 3000).data())
    manager = ImageManager(
      .init(loader: MemoryLoader(bytes: bytes), coder: CoderRegistry([JPEGCoder()]), cache: TieredCache()))
  }

  func gather() async {
    let isNew = state.withLock { state in
      defer { state.isGathered = true }
      return !state.isGathered
    }
    guard isNew else { return }
    let tasks = (0..<size).map { _ in
      Task.detached { [self] in
        while !Task.isCancelled { _ = try? await manager.image(for: request(.low)) }
      }
    }
    state.withLock { $0.tasks = tasks }
    while manager.runningCount < size { await Task.yield() }
  }

  func disperse() async {
    let tasks = state.withLock { state in
      defer { (state.tasks, state.isGathered) = ([], false) }
      return state.tasks
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }

  func seconds(ofUrgentLoads count: Int) async throws -> Double {
    // The caller is urgent too: a task of usual priority would wait for a thread behind those of the crowd.
    try await Task(priority: .high) {
      let start = ContinuousClock.now
      for _ in 0..<count { blackHole(try await manager.image(for: request(.high))) }
      return start.duration(to: .now) / .seconds(1)
    }.value
  }

  private func request(_ priority: LoadPriority) -> ImageRequest {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    var request = ImageRequest(
      "https://images.example.com/\(number).jpg", options: .fromLoaderOnly,
      context: [.thumbnailSize(PixelSize(width: 320, height: 320)), .storeLayers([])])
    request.priority = priority
    return request
  }
}
