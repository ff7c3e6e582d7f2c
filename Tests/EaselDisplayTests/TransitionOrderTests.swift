import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselDisplay

/// The result of a target's load comes after the beginning of the transition, in whatever order its executor works.
struct TransitionOrderTests {
  @Test func theResultComesAfterTheTransitionBeganAlsoOnAnExecutorThatPrefersNewWork() async throws {
    let studio = Studio()
    let view = NewestFirstView()
    let load = view.setImage(studio.place(.small), from: studio.manager)
    let waiting = Task {
      _ = try await load.result
      view.note("result")
    }
    while !view.log.contains("result") {
      // Gives work that overtakes the transition the time to come.
      for _ in 0..<100 { await Task.yield() }
      await runBlocking { view.executor.runNewest() }
    }
    try await waiting.value
    #expect(view.log.suffix(2) == ["transition", "result"])
  }
}

/// A view that is an actor and runs only the jobs that a test lets it run.
private actor NewestFirstView: ImageTarget {
  nonisolated let executor = NewestFirstExecutor()
  nonisolated let imageLoads = TargetLoads()
  private nonisolated let entries = Locked<[String]>([])

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated var imageExecutor: any Actor { self }
  nonisolated var log: [String] { entries.withLock { $0 } }

  init() {}

  nonisolated func note(_ entry: String) { entries.withLock { $0.append(entry) } }

  func show(_ image: Image?, for key: String) { note("show") }

  func transition(to image: Image, for key: String) async { note("transition") }
}

/// Keeps jobs until they are run by hand, the newest first.
private final class NewestFirstExecutor: SerialExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the newest job, if there is one, on the calling thread.
  func runNewest() { jobs.withLock { $0.popLast() }?.runSynchronously(on: asUnownedSerialExecutor()) }
}
