import EaselSupport
import EaselTestStudio
import EaselTestSupport
import EaselWorkers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// The tasks of urgent loads do not wait for a thread behind those of all others.
struct TaskPriorityTests {
  private let url = URL(string: "http://host/a.toy")!
  private let priorities = Locked<[TaskPriority]>([])

  private func makeStudio() -> Studio {
    let studio = Studio { $0.loader = NotingLoader(base: $0.loader, priorities: priorities) }
    studio.loader.script(url, .body(ToyImage.small.bytes))
    return studio
  }

  private func request(_ priority: LoadPriority) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.priority = priority
    return request
  }

  @Test(arguments: LoadPriority.allCases) func theTaskIsAsUrgentAsItsLoad(_ priority: LoadPriority) async throws {
    let studio = makeStudio()
    _ = try await Task(priority: .low) { try await studio.manager.image(for: request(priority)) }.value
    #expect(priorities.withLock { $0 } == [priority >= .high ? .high : .medium])
  }

  @Test(arguments: LoadPriority.allCases) func theAnswerIsAsUrgentAsItsLoad(_ priority: LoadPriority) async {
    let studio = makeStudio()
    let answered = await withCheckedContinuation { continuation in
      studio.manager.load(request(priority)) { _ in continuation.resume(returning: Task.currentPriority) }
    }
    #expect(answered == priority.ofTask)
  }

  @Test func theTaskBecomesUrgentWithTheLoad() async throws {
    let studio = makeStudio()
    studio.loader.suspend(url)
    let task = studio.manager.load(request(.low))
    await studio.loader.waitForStart(of: url)
    task.priority = .high
    studio.loader.resume(url)
    _ = try await task.image
    #expect(priorities.withLock { $0 } == [.high])
  }

  @Test func theTaskBecomesUrgentWithALoadThatJoins() async throws {
    let studio = makeStudio()
    studio.loader.suspend(url)
    let patient = studio.manager.load(request(.low))
    await studio.loader.waitForStart(of: url)
    let urgent = studio.manager.load(request(.veryHigh))
    while studio.loader.calls(for: url).first?.request.priority.value != .veryHigh { await Task.yield() }
    studio.loader.resume(url)
    _ = try await (patient.image, urgent.image)
    #expect(priorities.withLock { $0 } == [.high])
  }
}

/// Notes how urgent its task is when the body is there.
private struct NotingLoader: ImageLoader {
  let base: any ImageLoader
  let priorities: Locked<[TaskPriority]>

  var cacheIdentity: CacheIdentity { base.cacheIdentity }

  func canLoad(_ url: URL) -> Bool { base.canLoad(url) }

  func load(_ request: LoadRequest, into sink: any LoadSink) async throws -> LoadResult {
    let result = try await base.load(request, into: sink)
    priorities.withLock { $0.append(Task.currentPriority) }
    return result
  }
}
