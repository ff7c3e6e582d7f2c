import EaselSupport
import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselWorkers

struct BodyRoomTests {
  private let clock = ManualClock()

  private func room(_ capacity: Int) -> BodyMemory { BodyMemory(capacity: capacity, clock: clock) }

  private func wait(in room: BodyMemory, for count: Int) async {
    while room.waitingCount != count { await Task.yield() }
  }

  @Test func roomIsTakenAtOnceWhileThereIsSome() throws {
    let room = room(100)
    let first = try #require(room.takeAtOnce(60))
    #expect(room.takeAtOnce(41) == nil)
    let second = try #require(room.takeAtOnce(40))
    first.letGo()
    #expect(room.takeAtOnce(60) != nil)
    withExtendedLifetime(second) {}
  }

  @Test func whatIsLargerThanAllRoomGoesAlone() throws {
    let room = room(100)
    let giant = try #require(room.takeAtOnce(5000))
    #expect(room.takeAtOnce(1) == nil)
    giant.letGo()
    #expect(room.taken == 0)
    #expect(room.takeAtOnce(1) != nil)
  }

  @Test func whatIsUrgentMayTakeAQuarterMore() async throws {
    let room = room(100)
    let crowd = try #require(room.takeAtOnce(100))
    let normal = Task { try await room.take(10, at: LoadPriority.Live()) }
    await wait(in: room, for: 1)
    let urgent = try await room.take(20, at: LoadPriority.Live(.high))
    #expect(room.taken == 120 && room.waitingCount == 1)
    let second = Task { try await room.take(20, at: LoadPriority.Live(.veryHigh)) }
    await wait(in: room, for: 2)
    urgent.letGo()
    try await second.value.letGo()
    crowd.letGo()
    try await normal.value.letGo()
    #expect(room.taken == 0)
  }

  @Test func announcementsWithoutMeasureAreNoOverflow() async throws {
    let room = room(100)
    let first = try #require(room.takeAtOnce(.max))
    #expect(room.takeAtOnce(.max) == nil)
    let second = Task { try await room.take(.max, at: LoadPriority.Live()) }
    await wait(in: room, for: 1)
    // When its patience ends, the second body is let in beside the first.
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    try await second.value.letGo()
    first.letGo()
    #expect(room.taken == 0)
  }

  @Test func aShareIsGivenBackOnceWhetherLetGoOrDropped() throws {
    let room = room(100)
    var share = room.takeAtOnce(60)
    let other = try #require(room.takeAtOnce(30))
    share?.letGo()
    share?.letGo()
    share = nil
    #expect(room.taken == 30)
    withExtendedLifetime(other) {}
    #expect(room.takeAtOnce(70) != nil)
  }

  @Test func whoWaitsComesInWhenThereIsRoomTheMostUrgentFirst() async throws {
    let room = room(100)
    let holder = try #require(room.takeAtOnce(100))
    let order = Locked<[String]>([])
    func waiter(_ name: String, _ priority: LoadPriority) -> Task<Void, any Error> {
      Task {
        let share = try await room.take(100, at: LoadPriority.Live(priority))
        order.withLock { $0.append(name) }
        share.letGo()
      }
    }
    var tasks = [waiter("first", .normal)]
    await wait(in: room, for: 1)
    tasks.append(waiter("second", .normal))
    await wait(in: room, for: 2)
    tasks.append(waiter("urgent", .high))
    await wait(in: room, for: 3)
    holder.letGo()
    for task in tasks { try await task.value }
    #expect(order.withLock { $0 } == ["urgent", "first", "second"])
    #expect(room.taken == 0)
  }

  @Test func nobodyOvertakesThoseWhoWait() async throws {
    let room = room(100)
    let holder = try #require(room.takeAtOnce(60))
    let large = Task { try await room.take(80, at: LoadPriority.Live()) }
    await wait(in: room, for: 1)
    #expect(room.takeAtOnce(10) == nil)
    holder.letGo()
    let share = try await large.value
    #expect(room.taken == 80)
    share.letGo()
  }

  @Test func whoGivesUpLeavesAtOnceAndLetsOthersPass() async throws {
    let room = room(100)
    let holder = try #require(room.takeAtOnce(60))
    let large = Task { try await room.take(80, at: LoadPriority.Live()) }
    await wait(in: room, for: 1)
    let small = Task { try await room.take(40, at: LoadPriority.Live()) }
    await wait(in: room, for: 2)
    large.cancel()
    await #expect(throws: CancellationError.self) { try await large.value }
    let share = try await small.value
    #expect(room.taken == 100)
    share.letGo()
    holder.letGo()
    #expect(room.taken == 0)
  }

  @Test func nobodyWaitsForEver() async throws {
    let room = room(100)
    let holder = try #require(room.takeAtOnce(100))
    let waiter = Task { try await room.take(50, at: LoadPriority.Live()) }
    await wait(in: room, for: 1)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    let share = try await waiter.value
    #expect(room.taken == 150)
    share.letGo()
    holder.letGo()
    #expect(room.taken == 0)
  }

  @Test func transfersWaitAtTheirHeadsUntilOthersAreDecoded() async throws {
    let size = ToyImage.small.bytes.count
    let studio = Studio { $0.undecodedBytes = size * 2 }
    let urls = (0..<6).map { studio.place(.small, at: "http://host/\($0).toy") }
    // The first bodies stay on their way.
    for url in urls { studio.loader.suspend(url, at: .end) }
    let loads = urls.map { url in Task { try await studio.manager.image(for: url) } }
    await wait(in: studio.manager.bodyMemory, for: 4)
    #expect(studio.manager.bodyMemory.taken == size * 2)
    for url in urls { studio.loader.resume(url, at: .end) }
    for load in loads { _ = try await load.value }
    await studio.settle()
    #expect(studio.manager.bodyMemory.taken == 0)
    #expect(studio.isAtRest)
  }

  @Test func aLoadThatIsCancelledWhileItWaitsEndsAtOnce() async throws {
    let size = ToyImage.small.bytes.count
    let studio = Studio { $0.undecodedBytes = size }
    let (first, second) = (studio.place(.small, at: "http://host/1.toy"), studio.place(.small, at: "http://host/2.toy"))
    studio.loader.suspend(first, at: .end)
    let running = Task { try await studio.manager.image(for: first) }
    await studio.loader.waitUntilSuspended(first, at: .end)
    let waiting = Task { try await studio.manager.image(for: second) }
    await wait(in: studio.manager.bodyMemory, for: 1)
    waiting.cancel()
    await #expect(throws: ImageError.self) { try await waiting.value }
    await wait(in: studio.manager.bodyMemory, for: 0)
    studio.loader.resume(first, at: .end)
    _ = try await running.value
    #expect(studio.manager.bodyMemory.taken == 0)
  }

  @Test func whatLiesReadyNeedsNoRoom() async throws {
    let studio = Studio { $0.undecodedBytes = 1 }
    let url = URL(string: "http://host/ready.toy")!
    studio.loader.script(url, .ready(ImageBytes(ToyImage.small.bytes)))
    let holder = try #require(studio.manager.bodyMemory.takeAtOnce(1))
    #expect(try await studio.manager.image(for: url).size == PixelSize(width: 8, height: 6))
    withExtendedLifetime(holder) {}
  }
}
