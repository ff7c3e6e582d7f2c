import EaselCore
import EaselService
import EaselSupport
import EaselTestSupport
import Testing

@testable import EaselCLI

struct MemoryRulesTests {
  private func use(_ percent: Int) -> ControlGroupMemory.Use {
    ControlGroupMemory.Use(usedBytes: percent, limitBytes: 100)
  }

  /// The actions after each of some readings, one each second.
  private func actions(_ percents: [Int?], activity: [Int] = []) -> [[MemoryRules.Action]] {
    var rules = MemoryRules()
    return percents.enumerated().map { index, percent in
      rules.actions(
        percent.map(use), activity: index < activity.count ? activity[index] : index, at: .seconds(index))
    }
  }

  @Test func nothingHappensWhileThereIsMemory() {
    #expect(actions([10, 50, 74, 80, 84, 10]).allSatisfy { $0.isEmpty })
  }

  @Test func whatNobodyUsesGoesFirstThenTheCacheThenWork() {
    #expect(
      actions([86, 86, 86, 86]) == [[.giveBack], [.shrinkCache(0.75), .giveBack], [.press(.tight)], []])
  }

  @Test func theCacheShrinksAgainFromTimeToTime() {
    let all = actions([Int?](repeating: 90, count: 17))
    let shrinks = all.indices.filter { all[$0].contains(.shrinkCache(0.75)) }
    #expect(shrinks == [1, 8, 16])
  }

  @Test func requestsAreRefusedWhenNothingIsLeft() {
    #expect(actions([50, 96]) == [[], [.shrinkCache(0.5), .giveBack, .press(.full)]])
    #expect(actions([96, 97, 98])[1...].allSatisfy { !$0.contains(.press(.full)) })
  }

  @Test func reliefComesInSteps() {
    #expect(
      actions([96, 80, 80, 74, 50]) == [
        [.shrinkCache(0.5), .giveBack, .press(.full)], [.press(.tight)], [], [.press(.none)], [],
      ])
    // After relief it begins anew.
    #expect(actions([86, 86, 86, 50, 86]).last == [.giveBack])
  }

  @Test func anIdleServerGivesBackOnce() {
    let all = actions([Int?](repeating: nil, count: 12), activity: [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    #expect(all.indices.filter { !all[$0].isEmpty } == [5])
    #expect(all[5] == [.giveBack])
    let later = actions(
      [Int?](repeating: nil, count: 20), activity: [Int](repeating: 1, count: 7) + [2] + [Int](repeating: 2, count: 12))
    #expect(later.indices.filter { later[$0] == [.giveBack] } == [5, 12])
  }

  @Test func aBusyServerIsNotIdle() {
    #expect(actions([Int?](repeating: nil, count: 30)).allSatisfy { $0.isEmpty })
  }
}

/// The thread of the watch, in time that the test moves.
@Suite struct MemoryWatchTests {
  private let clock = ManualClock()
  private let done = Watched<[MemoryRules.Action]>([])
  private let percent = Locked(50)

  private func watch() -> MemoryWatch {
    MemoryWatch(
      MemoryWatch.Means(
        use: { [percent] in ControlGroupMemory.Use(usedBytes: percent.withLock { $0 }, limitBytes: 100) },
        activity: { 1 }, act: { [done] action in done.withLock { $0.append(action) } }),
      pause: .seconds(1), clock: clock)
  }

  @Test func itLooksFromTimeToTime() async {
    let watch = watch()
    watch.start()
    await clock.waitForSleepers()
    percent.withLock { $0 = 97 }
    clock.advance(by: .seconds(1))
    await done.wait { $0.count == 3 }
    #expect(done.withLock { $0 } == [.shrinkCache(0.5), .giveBack, .press(.full)])
    await clock.waitForSleepers()
    percent.withLock { $0 = 10 }
    clock.advance(by: .seconds(1))
    await done.wait { $0.last == .press(.none) }
    watch.stop()
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(!watch.look())
  }

  @Test func anIdleServerGivesMemoryBack() {
    let watch = watch()
    for _ in 0..<12 {
      watch.look()
      clock.advance(by: .seconds(1))
    }
    #expect(done.withLock { $0 } == [.giveBack])
  }

  @Test func theServersPartsObey() throws {
    var settings = ServeSettings()
    settings.memoryBytes = 1_000_000
    settings.follow(try MemoryPlan(limit: 512_000_000, MemoryPlan.Wishes(processors: 2)))
    let memory = ServeMemory(settings)
    #expect(memory.work.budget == 183_945_568 && memory.store.configuration.costLimit == 87_000_000)
    let use = try #require(memory.use)
    #expect(use.usedBytes > 1_000_000 && use.limitBytes <= 512_000_000)
    #expect(memory.figures.limit() == 512_000_000)
    memory.work.pressure = .tight
    #expect(memory.figures.pressure() == .tight)
    #expect(memory.figures.bytes(.work) == 0 && memory.figures.bytes(.cache) == 0)
    #expect(ServeMemory(ServeSettings()).use == nil && ServeMemory(ServeSettings()).work.budget == .max)
  }
}
