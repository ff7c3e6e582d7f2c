import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// Stores run in the order of the loads that caused them.
struct StoreLanesTests {
  private let lanes = StoreQueues()
  private let key = CacheKey(original: "a")
  private let stored = Watched<[String]>([])

  @discardableResult
  private func store(
    _ name: String, _ turn: StoreTicket, generation: UInt64, brings: Bool = true, in layer: CacheLayers = .memory
  ) -> Task<Void, Never> {
    lanes.add(turn, of: turn, generation: generation, brings: brings, in: layer) {
      stored.withLock { $0.append(name) }
    }
  }

  @Test func storesOfOneOriginalRunOneAfterAnother() async {
    let turn = lanes.begin(key)
    for index in 0..<50 { store("\(index)", turn, generation: 1) }
    await lanes.drain()
    #expect(stored.withLock { $0 } == (0..<50).map { "\($0)" })
  }

  @Test(arguments: [TaskPriority.low, .medium, .high]) func aStoreInMemoryIsAsUrgentAsItsCaller(
    _ priority: TaskPriority
  ) async {
    let turn = lanes.begin(key)
    let (inMemory, onDisk) = (Locked(TaskPriority.background), Locked(TaskPriority.background))
    await Task(priority: priority) {
      let stores = [(CacheLayers.memory, inMemory), (.disk, onDisk)].map { layer, noted in
        lanes.add(turn, of: turn, generation: 1, brings: true, in: layer) { noted.withLock { $0 = Task.basePriority! } }
      }
      for store in stores { await store.value }
    }.value
    #expect(inMemory.withLock { $0 } == max(.medium, priority) && onDisk.withLock { $0 } == .medium)
  }

  @Test func whatBeganEarlierNeverOverwritesWhatBeganLater() async {
    let old = lanes.begin(key)
    let new = lanes.begin(key)
    await store("new", new, generation: 2).value
    await store("old", old, generation: 1).value
    await store("old on disk", old, generation: 1, in: .disk).value
    #expect(stored.withLock { $0 } == ["new", "old on disk"])
  }

  @Test func olderWorkOnTheSameBytesIsStored() async {
    let old = lanes.begin(key)
    let new = lanes.begin(key)
    await store("new", new, generation: 2).value
    await store("variant", old, generation: 2, brings: false).value
    #expect(stored.withLock { $0 } == ["new", "variant"])
  }

  @Test func whatACacheHadIsNotTakenForNews() async {
    let old = lanes.begin(key)
    let new = lanes.begin(key)
    await store("promoted", new, generation: 1, brings: false).value
    await store("loaded", old, generation: 2).value
    #expect(stored.withLock { $0 } == ["promoted", "loaded"])
  }

  @Test func whatWasReadBeforeNewerBytesCameIsNotStoredAfterThem() async {
    let new = lanes.begin(key)
    let late = lanes.begin(key)
    await store("new", new, generation: 2).value
    await store("made of the old original", late, generation: 1, brings: false).value
    await store("made of the new original", late, generation: 2, brings: false).value
    #expect(stored.withLock { $0 } == ["new", "made of the new original"])
  }

  @Test func whatADiskStillHasIsNotStoredInMemoryAfterNewerBytes() async {
    let gate = AsyncGate()
    var new: StoreTicket? = lanes.begin(key)
    await store("new", new!, generation: 2).value
    let onDisk = lanes.add(new!, of: new!, generation: 2, brings: true, in: .disk) { try? await gate.pass() }
    await gate.waitForWaiters()
    new = nil
    await store("made of the old original", lanes.begin(key), generation: 1, brings: false).value
    #expect(stored.withLock { $0 } == ["new"])
    gate.open()
    await onDisk.value
  }

  @Test func anOriginalIsForgottenWhenNothingWorksOnItAnyMore() async {
    do {
      let old = lanes.begin(key)
      await store("first", lanes.begin(key), generation: 2).value
      withExtendedLifetime(old) {}
    }
    // All earlier turns have ended, so they bind nobody.
    let next = lanes.begin(key)
    await store("second", next, generation: 3).value
    #expect(stored.withLock { $0 } == ["first", "second"])
  }

  @Test func otherOriginalsAndLayersDoNotWait() async {
    let turn = lanes.begin(key)
    let gate = AsyncGate()
    let blocked = lanes.add(turn, of: turn, generation: 1, brings: true, in: .memory) { try? await gate.pass() }
    await gate.waitForWaiters()
    await store("disk", turn, generation: 1, in: .disk).value
    await store("other", lanes.begin(CacheKey(original: "b")), generation: 1).value
    #expect(stored.withLock { $0 } == ["disk", "other"])
    gate.open()
    await blocked.value
  }

  @Test(arguments: [true, false]) func whatBeganBeforeARemovalIsNotStoredAfterIt(removesAll: Bool) async {
    let turn = lanes.begin(key)
    let other = lanes.begin(CacheKey(original: "b"))
    await lanes.remove(removesAll ? nil : key, in: .local) { layers in
      stored.withLock { $0.append("\(layers) removed") }
    }
    await store("old", turn, generation: 1).value
    await store("old on disk", turn, generation: 1, in: .disk).value
    await store("other", other, generation: 1).value
    await store("new", lanes.begin(key), generation: 1).value
    #expect(stored.withLock { $0 } == ["memory removed", "disk removed"] + (removesAll ? [] : ["other"]) + ["new"])
  }

  @Test func newBytesAreNotStoredForALoadThatBeganBeforeARemoval() async {
    let load = lanes.begin(key)
    await lanes.remove(key, in: .local) { _ in }
    let turn = lanes.begin(key)
    await lanes.add(turn, of: load, generation: 1, brings: true, in: .memory) { stored.withLock { $0.append("a") } }
      .value
    #expect(stored.withLock { $0 }.isEmpty)
  }

  @Test func aRemovalWaitsForTheStoreThatRunsAndSkipsThoseThatWait() async throws {
    let turn = lanes.begin(key)
    let gate = AsyncGate()
    let running = lanes.add(turn, of: turn, generation: 1, brings: true, in: .disk) {
      try? await gate.pass()
      stored.withLock { $0.append("running") }
    }
    await gate.waitForWaiters()
    let waiting = store("waiting", turn, generation: 1, in: .disk)
    let hasBegun = AsyncGate()
    let removal = Task {
      await lanes.remove(key, in: .local) { layers in
        stored.withLock { $0.append("\(layers) removed") }
        hasBegun.open()
      }
    }
    try await hasBegun.pass()
    let during = store("during", lanes.begin(key), generation: 1, in: .disk)
    gate.open()
    await removal.value
    await running.value
    await waiting.value
    await during.value
    #expect(stored.withLock { $0 } == ["memory removed", "running", "disk removed"])
  }

  @Test func whatWasNewestIsForgottenWithWhatWasRemoved() async {
    let held = lanes.begin(key)
    await store("old", held, generation: 1).value
    await lanes.remove(key, in: .memory) { _ in }
    await store("made of what someone else stored", lanes.begin(key), generation: 5, brings: false).value
    #expect(stored.withLock { $0 } == ["old", "made of what someone else stored"])
  }

  @Test func nothingIsRememberedOfARemovalWhenNothingIsUnderWay() async {
    await lanes.remove(key, in: .local) { _ in }
    #expect(lanes.isEmpty)
    var turn: StoreTicket? = lanes.begin(key)
    await lanes.remove(key, in: .local) { _ in }
    withExtendedLifetime(turn) {}
    turn = nil
    #expect(lanes.isEmpty)
  }
}
