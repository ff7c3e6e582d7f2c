import Testing

@testable import EaselCLI

struct MemoryPlanTests {
  private func wishes(_ change: (inout MemoryPlan.Wishes) -> Void = { _ in }) -> MemoryPlan.Wishes {
    var wishes = MemoryPlan.Wishes(processors: 2)
    change(&wishes)
    return wishes
  }

  /// The bytes of all parts of a plan for a limit.
  private func sum(_ plan: MemoryPlan) -> Int {
    MemoryPlan.base + plan.cacheBytes + plan.bodyBytes + 2 * plan.bufferBytes + (plan.workBytes ?? 0)
      + MemoryPlan.margin(of: plan.limit ?? 0)
  }

  @Test func withoutALimitTheDefaultsHold() {
    let plan = MemoryPlan(wishes(), bufferBytes: 100_000_000)
    let usual = ServeSettings()
    #expect(plan.limit == nil && plan.workBytes == nil)
    #expect(plan.cacheBytes == usual.memoryBytes && plan.workers == 2)
    #expect(plan.sourcePixels == usual.sourcePixels && plan.resultPixels == usual.resultPixels)
    #expect(
      plan.neededBytes
        == MemoryPlan.base + 256_000_000 + (32 << 20) + 2 * plan.bufferBytes + plan.largestWork)
    #expect(plan.sharedBytes == 200_000_000 && plan.largestWork > plan.sharedBytes)
  }

  @Test func withoutALimitSmallPicturesNeedTheirShares() {
    let plan = MemoryPlan(wishes { $0.sourcePixels = 1_000_000 }, bufferBytes: 1 << 20)
    #expect(plan.neededBytes == MemoryPlan.base + 256_000_000 + (32 << 20) + (2 << 20) + 200_000_000)
  }

  @Test func withoutALimitBuffersFollowTheWorkers() {
    #expect(MemoryPlan(wishes { $0.workers = 1 }, bufferBytes: 1 << 30).bufferBytes == 64 << 20)
    #expect(MemoryPlan(wishes { $0.workers = 6 }, bufferBytes: 1 << 30).bufferBytes == 192 << 20)
    #expect(MemoryPlan(wishes { $0.workers = 1 }, bufferBytes: 1 << 20).bufferBytes == 1 << 20)
  }

  @Test func aLimitIsShared() throws {
    let plan = try MemoryPlan(limit: 512_000_000, wishes())
    #expect(plan.limit == 512_000_000 && plan.neededBytes == 512_000_000)
    #expect(plan.bodyBytes == 32 << 20 && plan.bufferBytes == 21_750_000)
    #expect(plan.cacheBytes == 87_000_000 && plan.workBytes == 183_945_568)
    #expect(plan.workers == 2 && plan.sourcePixels == 45_986_392 && plan.resultPixels == 11_496_598)
    #expect(sum(plan) == 512_000_000)
  }

  @Test(arguments: [180_000_000, 256 << 20, 512 << 20, 1 << 30, 8 << 30, 1 << 40])
  func thePartsAreNoMoreThanTheLimit(_ limit: Int) throws {
    for processors in [1, 2, 64] {
      let plan = try MemoryPlan(limit: limit, wishes { $0.processors = processors })
      #expect(sum(plan) <= limit && sum(plan) > limit - 8)
      #expect((1...processors).contains(plan.workers))
      #expect(plan.cacheBytes > 0 && plan.sourcePixels > 1_000_000 && plan.resultPixels > 100_000)
    }
  }

  @Test func aLargeLimitChangesNoSetting() throws {
    let plan = try MemoryPlan(limit: 16 << 30, wishes())
    let usual = ServeSettings()
    #expect(plan.cacheBytes == usual.memoryBytes && plan.workers == 2)
    #expect(plan.sourcePixels == usual.sourcePixels && plan.resultPixels == usual.resultPixels)
  }

  @Test func whatIsGivenStays() throws {
    let plan = try MemoryPlan(
      limit: 512_000_000,
      wishes {
        $0.cacheBytes = 10_000_000
        $0.workers = 7
        $0.sourcePixels = 90_000_000
        $0.resultPixels = 80_000_000
      })
    #expect(plan.cacheBytes == 10_000_000 && plan.workers == 7)
    #expect(plan.sourcePixels == 90_000_000 && plan.resultPixels == 80_000_000)
    #expect(sum(plan) == 512_000_000)
  }

  @Test func whatCannotBeIsSaid() {
    #expect(
      throws: ServeMistake(
        "There are 100 MB of memory, and the server needs at least 180 MB. Give it more, or set memory-limit to none.")
    ) { try MemoryPlan(limit: 100_000_000, wishes()) }
    #expect(
      throws: ServeMistake(
        "memory-size is 400 MB, which leaves too little of 512 MB of memory for work. Give at most 255 MB, or the "
          + "server more memory.")
    ) { try MemoryPlan(limit: 512_000_000, wishes { $0.cacheBytes = 400_000_000 }) }
    let plan = MemoryPlan(nearest: 512_000_000, wishes { $0.cacheBytes = 400_000_000 })
    #expect(plan.workBytes == 16_000_000 && sum(plan) == 512_000_000)
    #expect(MemoryPlan(nearest: 10_000_000, wishes()).workBytes.map { $0 >= 16_000_000 } == true)
  }
}

/// The limit of memory among the settings.
struct MemorySettingsTests {
  @Test func theLimitOfTheContainerIsTaken() throws {
    var bench = ServeBench.unsafe()
    bench.memoryLimit = 512_000_000
    let configuration = try bench.read()
    #expect(configuration.memory.limit == 512_000_000 && configuration.warnings.isEmpty)
    #expect(configuration.settings.memoryPlan == configuration.memory)
    #expect(configuration.settings.memoryBytes == 87_000_000)
    #expect(configuration.settings.sourcePixels == 45_986_392)
    #expect(configuration.settings.admission.places == configuration.memory.workers)
  }

  @Test func aLimitThatIsGivenComesFirst() throws {
    var bench = ServeBench.unsafe("--memory-limit", "1G", "--memory-size", "64M", "--workers", "3")
    bench.memoryLimit = 512_000_000
    let configuration = try bench.read()
    #expect(configuration.memory.limit == 1_000_000_000)
    #expect(configuration.settings.memoryBytes == 64_000_000 && configuration.settings.workers == 3)
  }

  @Test func thereNeedBeNoLimit() throws {
    var bench = ServeBench.unsafe("--memory-limit", "none")
    bench.memoryLimit = 512_000_000
    let settings = try bench.settings()
    #expect(settings.memoryPlan == nil && settings.memoryBytes == ServeSettings().memoryBytes)
    bench = ServeBench.unsafe("--memory-limit", "some")
    #expect(
      bench.mistakes()
        == ["--memory-limit needs a number of bytes such as 512M, auto or none, not 'some'."])
  }

  @Test func aContainerThatIsTooSmallIsAWarning() throws {
    var bench = ServeBench.unsafe("--memory-size", "100M")
    bench.memoryLimit = 100_000_000
    let configuration = try bench.read()
    #expect(configuration.warnings.count == 1 && configuration.warnings[0].contains("at least 180 MB"))
    #expect(configuration.settings.memoryBytes < 50_000_000)
    bench = ServeBench.unsafe("--memory-limit", "100M")
    #expect(bench.mistakes().first?.contains("at least 180 MB") == true)
  }
}

struct MemoryReportTests {
  @Test func theSumIsShownWithoutALimit() throws {
    let plan = MemoryPlan(MemoryPlan.Wishes(workers: 2, processors: 8), bufferBytes: 100_000_000)
    let lines = MemoryReport.text(of: plan).split(separator: "\n").map(String.init)
    #expect(lines.first == "Memory")
    #expect(lines.contains("  finished pictures    256 MB (memory-size)"))
    #expect(lines.contains("  buffers for reuse    2 x \(Quantity.bytes(plan.bufferBytes))"))
    #expect(lines.contains("  work                 200 MB, shared by 2 workers"))
    #expect(lines.contains("  one large picture    \(Quantity.bytes(plan.largestWork)) alone, instead"))
    #expect(lines.last == "  together             \(Quantity.bytes(plan.neededBytes)), without a limit")
  }

  @Test func theSharesOfALimitAreShown() throws {
    var bench = ServeBench.unsafe("--workers", "1")
    bench.memoryLimit = 512_000_000
    let report = ServeReport.text(of: try bench.read())
    for line in [
      "\nMemory\n", "  finished pictures    87 MB (memory-size)\n",
      "  work                 184 MB, shared by 1 worker\n",
      "  kept free            64 MB\n", "  together             512 MB, the limit\n",
      "  original             at most 46.0 megapixels (max-source-pixels)\n",
    ] { #expect(report.contains(line), "\(line)") }
  }
}
