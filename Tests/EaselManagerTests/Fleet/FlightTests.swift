import EaselSupport
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

/// Work that one of several managers does for all.
struct FlightTests {
  private struct Failure: Error {}

  private let small: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]

  private func variant(_ key: CacheKey) -> FlightKey { FlightKey(.variant, key) }

  private func transfer(_ url: URL) -> FlightKey { FlightKey(.transfer, CacheKey(original: url.absoluteString)) }

  // MARK: One works, the others wait

  @Test func oneMachineWorksForAll() async throws {
    let fleet = Fleet()
    let url = fleet.place()
    fleet.loader.suspend(url)
    let tasks = (0..<30).map { number in Task { try await fleet[number % 3].encoded(url) } }
    await fleet.loader.waitUntilSuspended(url)
    // Each machine asks once for all its callers.
    await fleet.coordinator.waitForWaiters(count: 2)
    fleet.loader.resume(url)
    var tags: Set<String> = []
    for task in tasks { tags.insert(try await task.value.entityTag) }
    #expect(tags.count == 1)
    #expect(fleet.loader.callCount == 1 && fleet.decodeCount == 1 && fleet.encodeCount == 1)
    await fleet.settle()
    #expect(fleet.coordinator.grants == [variant(fleet[0].key(url)): 1, transfer(url): 1])
    #expect(fleet.nodes.flatMap(\.cacheFailures).isEmpty)
  }

  @Test func variantsOfOneOriginalShareItsTransfer() async throws {
    let fleet = Fleet()
    let url = fleet.place()
    fleet.loader.suspend(url)
    let contexts: [ImageContext] = [[], small, [.thumbnailSize(PixelSize(width: 2, height: 2))]]
    let tasks = contexts.enumerated().map { number, context in
      Task { try await fleet[number].encoded(url, as: .print, [], context) }
    }
    await fleet.loader.waitUntilSuspended(url)
    await fleet.coordinator.waitForWaiters(count: 2)
    fleet.loader.resume(url)
    var sources: [ImageEvent.Source] = []
    for task in tasks { sources.append(try await task.value.source) }
    #expect(sources.count { $0 == .network } == 1 && sources.count { $0 == .shared } == 2)
    #expect(fleet.loader.callCount == 1 && fleet.encodeCount == 3)
    await fleet.settle()
    // Each machine has the original now.
    for node in fleet.nodes { #expect(node.disk.entries[CacheKey(original: url.absoluteString)] != nil) }
  }

  @Test func picturesAndBytesShareTheTransfer() async throws {
    let fleet = Fleet()
    let url = fleet.place()
    fleet.loader.suspend(url)
    let picture = Task { try await fleet[0].manager.image(for: ImageRequest(url: url)) }
    let bytes = Task { try await fleet[1].manager.bytes(for: ImageRequest(url: url)) }
    let encoded = Task { try await fleet[2].encoded(url) }
    await fleet.coordinator.waitForWaiters(count: 2)
    fleet.loader.resume(url)
    let expected = try ToyImage.small.expectedBitmap()
    #expect(try await picture.value.bitmap == expected)
    #expect(try await bytes.value.count == ToyImage.small.bytes.count)
    #expect(try await encoded.value.size == PixelSize(width: 8, height: 6))
    #expect(fleet.loader.callCount == 1)
    await fleet.settle()
  }

  @Test func whoeverComesLaterFindsTheBytesWithoutAClaim() async throws {
    let fleet = Fleet()
    let url = fleet.place()
    _ = try await fleet[0].encoded(url)
    await fleet.settle()
    #expect(try await fleet[1].encoded(url).source == .shared)
    #expect(fleet.coordinator.grants.count == 2)
  }

  // MARK: Failures

  @Test(arguments: [404, 410])
  func everyoneHearsThatThereIsNoPicture(status: Int) async throws {
    let fleet = Fleet()
    let url = URL(string: "http://host/missing.toy")!
    fleet.loader.script(url, .status(status))
    fleet.loader.suspend(url)
    let tasks = (0..<3).map { number in Task { try await fleet[number].encoded(url) } }
    await fleet.loader.waitUntilSuspended(url)
    await fleet.coordinator.waitForWaiters(count: 2)
    fleet.loader.resume(url)
    for task in tasks {
      let error = await #expect(throws: ImageError.self) { try await task.value }
      #expect(error?.status == status)
    }
    #expect(fleet.loader.callCount == 1)
    await fleet.settle()
  }

  @Test func everyoneHearsThatThePictureIsDamaged() async throws {
    let fleet = Fleet()
    let url = URL(string: "http://host/damaged.toy")!
    fleet.loader.script(url, .body(Array(ToyImage.small.bytes.prefix(40))))
    fleet.loader.suspend(url)
    let tasks = (0..<3).map { number in Task { try await fleet[number].encoded(url) } }
    await fleet.loader.waitUntilSuspended(url)
    await fleet.coordinator.waitForWaiters(count: 2)
    fleet.loader.resume(url)
    for task in tasks {
      let error = await #expect(throws: ImageError.self) { try await task.value }
      #expect(error?.code == .badImageData)
    }
    #expect(fleet.loader.callCount == 1)
    await fleet.settle()
    // The next load on another machine knows as well.
    await #expect(throws: ImageError.self) { try await fleet[1].encoded(url) }
    #expect(fleet.loader.callCount == 1)
  }

  @Test(arguments: [ImageError.Code.timedOut, .network, .overloaded])
  func nobodyHearsOfTroubleOfOneMachine(code: ImageError.Code) async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    fleet.loader.script(url, .failure(ImageError(code, "Not now.")), .body(ToyImage.small.bytes))
    let (first, second) = await fleet.workAndWait(for: url)
    fleet.loader.resume(url)
    await #expect(throws: ImageError.self) { try await first.value }
    #expect(try await second.value.source == .network)
    #expect(fleet.loader.callCount == 2)
    await fleet.settle()
  }

  @Test func settingsOfOneCallerDoNotCondemnThePicture() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    let strict: ImageContext = [.limits(Limits(side: 1))]
    let (first, second) = await fleet.workAndWait(for: url, first: strict)
    fleet.loader.resume(url)
    let error = await #expect(throws: ImageError.self) { try await first.value }
    #expect(error?.code == .limitExceeded)
    #expect(try await second.value.size == PixelSize(width: 8, height: 6))
    await fleet.settle()
  }

  @Test func whoGivesUpPassesTheWorkOnAtOnce() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url)
    first.cancel()
    await #expect(throws: ImageError.self) { try await first.value }
    // Nothing moves the clock: the second machine does not wait for the lease.
    await fleet.loader.waitForStart(of: url, call: 2)
    fleet.loader.resume(url)
    #expect(try await second.value.source == .network)
    await fleet.settle()
    #expect(fleet.clock.uptime == .zero)
  }

  @Test func aWaitingCallerThatGivesUpIsAnsweredAtOnce() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url)
    second.cancel()
    let error = await #expect(throws: ImageError.self) { try await second.value }
    #expect(error?.isCancellation == true)
    fleet.loader.resume(url)
    #expect(try await first.value.source == .network)
    await fleet.settle()
  }

  @Test func aMachineThatDiesLosesItsClaim() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url, second: [.deadline(.seconds(100))])
    fleet[0].flights.kill()
    await fleet.passSleep(of: .seconds(10))
    await fleet.loader.waitForStart(of: url, call: 2)
    fleet.loader.resume(url)
    #expect(try await second.value.source == .network)
    // Its own callers are served all the same.
    #expect(try await first.value.size == PixelSize(width: 8, height: 6))
    for node in fleet.nodes { await node.settle() }
  }

  // MARK: Bounded waiting

  @Test func halfOfTheTimeIsLeftForTheWork() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    fleet.loader.suspend(url)
    let first = Task { try await fleet[0].encoded(url) }
    await fleet.loader.waitUntilSuspended(url)
    let second = Task { try await fleet[1].encoded(url, as: .print, [], [.deadline(.seconds(4))]) }
    await fleet.passSleep(of: .seconds(2))
    // Then it waits half of the rest for the transfer.
    await fleet.passSleep(of: .seconds(1))
    await fleet.loader.waitForStart(of: url, call: 2)
    fleet.loader.resume(url)
    #expect(try await second.value.source == .network)
    _ = try await first.value
    await fleet.settle()
  }

  @Test func theManagerSaysHowLongItWaits() async throws {
    let fleet = Fleet(of: 2) { $0.coordinatorWait = .seconds(3) }
    let url = fleet.place()
    fleet.loader.suspend(url)
    let first = Task { try await fleet[0].encoded(url) }
    await fleet.loader.waitUntilSuspended(url)
    let second = Task { try await fleet[1].encoded(url) }
    // It waits for the variant, and then for the transfer.
    for _ in 0..<2 { await fleet.passSleep(of: .seconds(3)) }
    await fleet.loader.waitForStart(of: url, call: 2)
    fleet.loader.resume(url)
    #expect(try await second.value.source == .network)
    _ = try await first.value
    await fleet.settle()
  }

  @Test func waitingHoldsNoPlaceAtTheGate() async throws {
    let gate = CountingGate()
    let fleet = Fleet(of: 2) { $0.workGate = gate }
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url)
    #expect(gate.count == 0)
    // Other loads of the machine that waits go on.
    let other = fleet.place(at: "http://host/other.toy")
    #expect(try await fleet[1].encoded(other).source == .network)
    fleet.loader.resume(url)
    _ = try await (first.value, second.value)
    #expect(gate.count == 2)
    await fleet.settle()
  }

  private final class CountingGate: WorkGate {
    private let entered = Locked(0)

    var count: Int { entered.withLock { $0 } }

    func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
      entered.withLock { $0 += 1 }
      return { _ in }
    }
  }

  // MARK: When nobody is asked

  @Test func nobodyIsAskedAboutWhatCannotBeHandedOver() async throws {
    let fleet = Fleet(of: 1)
    let url = fleet.place()
    _ = try await fleet[0].encoded(url, as: .print, .fromLoaderOnly)
    _ = try await fleet[0].encoded(url, as: .print, [], [.storeLayers(.local), .originalStoreLayers(.disk)])
    _ = try await fleet[0].encoded(url, as: .print, [], [.headers(["Authorization": "a"])])
    _ = try? await fleet[0].encoded(URL(string: "http://host/none.toy")!, as: .print, .fromCacheOnly)
    await fleet.settle()
    #expect(fleet.coordinator.grants.isEmpty)
  }

  @Test func aStoreThatIsDownMakesEveryoneWorkAlone() async throws {
    let fleet = Fleet(of: 2)
    fleet.store.failEverything(with: Failure())
    let url = fleet.place()
    #expect(try await fleet[0].encoded(url).source == .network)
    #expect(try await fleet[1].encoded(url).source == .network)
    await fleet.settle()
    #expect(fleet.coordinator.grants.isEmpty && fleet.loader.callCount == 2)
  }

  @Test func nobodyIsAskedWhileTheStoreIsPassedOver() async throws {
    let fleet = Fleet(of: 1)
    fleet.store.failEverything(with: Failure())
    for number in 0..<8 {
      _ = try await fleet[0].encoded(fleet.place(at: "http://host/\(number).toy"))
      await fleet.settle()
    }
    #expect(fleet[0].cache.sharedCounts.passedOver > 0)
    #expect(fleet.coordinator.grants.isEmpty && fleet.loader.callCount == 8)
    // A disk that fails as well does not hide that nobody can be asked.
    fleet[0].disk.fail(.query, with: Failure())
    _ = try await fleet[0].encoded(fleet.place(at: "http://host/last.toy"))
    await fleet.settle()
    #expect(fleet.coordinator.grants.isEmpty && fleet.loader.callCount == 9)
  }

  @Test func aURLThatHasJustFailedIsNotClaimed() async throws {
    let fleet = Fleet(of: 1)
    let url = URL(string: "http://host/damaged.toy")!
    fleet.loader.script(url, .body(Array(ToyImage.small.bytes.prefix(40))))
    await #expect(throws: ImageError.self) { try await fleet[0].encoded(url) }
    await fleet.settle()
    let grants = fleet.coordinator.grants
    #expect(grants.count == 2)
    let error = await #expect(throws: ImageError.self) { try await fleet[0].encoded(url) }
    #expect(error?.code == .blockedURL)
    await fleet.settle()
    #expect(fleet.coordinator.grants == grants)
  }

  @Test func observersAreToldOfClaims() async throws {
    let fleet = Fleet(of: 2)
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url)
    fleet.loader.resume(url)
    _ = try await (first.value, second.value)
    await fleet.settle()
    func claims(_ node: Fleet.Node) -> [String] {
      node.observer.events.compactMap {
        if case .claimed(let kind, let result) = $0.kind { "\(kind) \(result)" } else { nil }
      }
    }
    #expect(claims(fleet[0]) == ["variant won", "transfer won"])
    #expect(claims(fleet[1]) == ["variant handedOver"])
  }

  @Test func aStoreThatRefusesMakesTheNextOneWork() async throws {
    let fleet = Fleet(of: 2)
    fleet.store.fail(.store, with: Failure())
    let url = fleet.place()
    let (first, second) = await fleet.workAndWait(for: url)
    fleet.loader.resume(url)
    #expect(try await first.value.source == .network)
    #expect(try await second.value.source == .network)
    await fleet.settle()
    #expect(fleet.coordinator.heldCount == 0)
  }

  @Test func withoutACoordinatorNobodyIsAsked() async throws {
    let fleet = Fleet(of: 1) { $0.coordinator = nil }
    #expect(fleet[0].manager.flights == nil)
    #expect(try await fleet[0].encoded(fleet.place()).source == .network)
    #expect(fleet.coordinator.heldCount == 0)
    await fleet[0].settle()
  }
}
