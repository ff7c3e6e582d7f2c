import Testing

@testable import EaselBenchmarkHarness

struct ComparisonTests {
  /// Random numbers that are the same in every run.
  private final class Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    /// A number from -1 to 1; values near 0 are more frequent.
    func roll() -> Double { (unit() + unit() + unit()) / 1.5 - 1 }

    private func unit() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state >> 11) / Double(1 << 53)
    }
  }

  private static let machine = Machine(
    processor: "A processor", cores: 2, memoryKilobytes: 1 << 20, kernel: "6.1.0", swift: "Swift version 6.3")

  /// Twenty cases measured by the runner, on a machine with its own speed and this much drift.
  private func run(
    seed: UInt64, noise: Double, speed: Double = 1, slowed: [String: Double] = [:], machine: Machine = machine
  ) async throws -> Report {
    let dice = Dice(seed: seed)
    let runner = BenchmarkRunner(
      sampling: Sampling(sampleSeconds: 0, pairs: 11...11, budgetSeconds: 0), counter: nil)
    var report = Report(machine: machine, results: [], skipped: [:])
    for number in 0..<20 {
      let name = "case \(number)"
      func side(_ seconds: Double) -> BenchmarkSide {
        .timed { _ in speed * seconds * (1 + noise * dice.roll()) }
      }
      report.results.append(
        try await runner.run(
          BenchmarkCase(name, group: "group", against: "baseline") {
            BenchmarkPair(subject: side(Double(number + 1) * (slowed[name] ?? 1)), baseline: side(2))
          }))
    }
    return report
  }

  @Test(arguments: [0, 0.02, 0.1, 0.3])
  func noiseIsNoRegression(noise: Double) async throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let comparison = Comparison(
        of: try await run(seed: seed, noise: noise), with: try await run(seed: seed + 1000, noise: noise))
      #expect(comparison.rows.count == 20)
      #expect(comparison.rows.filter { $0.verdict != .same }.map(\.title) == [], "seed \(seed)")
    }
  }

  @Test(arguments: [0, 0.02, 0.1])
  func aCaseThatTakesHalfAsLongAgainIsFlaggedAndNoOther(noise: Double) async throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let comparison = Comparison(
        of: try await run(seed: seed, noise: noise, slowed: ["case 7": 1.5]),
        with: try await run(seed: seed + 1000, noise: noise))
      #expect(comparison.slower.map(\.title) == ["group: case 7 / baseline"], "seed \(seed)")
    }
  }

  @Test func aSmallRegressionIsSeenWhereMeasurementsAgree() async throws {
    let comparison = Comparison(
      of: try await run(seed: 1, noise: 0.001, slowed: ["case 3": 1.15]), with: try await run(seed: 2, noise: 0.001))
    #expect(comparison.slower.map(\.title) == ["group: case 3 / baseline"])
  }

  @Test func whatBecameFasterIsNoRegression() async throws {
    let comparison = Comparison(
      of: try await run(seed: 1, noise: 0.02, slowed: ["case 3": 0.5]), with: try await run(seed: 2, noise: 0.02))
    #expect(comparison.slower.isEmpty)
    #expect(comparison.rows.filter { $0.verdict == .faster }.map(\.title) == ["group: case 3 / baseline"])
  }

  @Test func aMachineOfAnotherSpeedChangesNothingSinceOnlyRatiosCount() async throws {
    let comparison = Comparison(
      of: try await run(seed: 1, noise: 0.02, speed: 9), with: try await run(seed: 2, noise: 0.02))
    #expect(comparison.rows.allSatisfy { $0.verdict == .same })
  }

  @Test func casesOfOnlyOneRunAreListedAndNotJudged() async throws {
    var before = try await run(seed: 1, noise: 0)
    var now = before
    before.results.removeFirst()
    now.results.removeLast()
    let comparison = Comparison(of: now, with: before)
    #expect(comparison.rows.count == 18)
    #expect(comparison.added == ["group: case 0 / baseline"])
    #expect(comparison.missing == ["group: case 19 / baseline"])
  }

  @Test func aFileWithoutSpreadIsComparedWithMoreTolerance() async throws {
    var before = try await run(seed: 1, noise: 0)
    before.results[0].quartiles = nil
    var now = before
    now.results[0].ratio *= 1.2
    #expect(Comparison(of: now, with: before).slower.isEmpty)
    now.results[0].ratio *= 1.2
    #expect(Comparison(of: now, with: before).slower.map(\.title) == ["group: case 0 / baseline"])
  }

  @Test func theTableNamesWhatIsSlowerAndAnotherMachine() async throws {
    var other = Self.machine
    other.processor = "Another processor"
    let table = ComparisonTable.render(
      Comparison(
        of: try await run(seed: 1, noise: 0, slowed: ["case 3": 2]),
        with: try await run(seed: 1, noise: 0, machine: other)))
    #expect(table.contains("| group: case 3 / baseline | 2.00 | 4.00 | +100 % | beyond +11 % | SLOWER |"))
    #expect(table.contains("| group: case 4 / baseline | 2.50 | 2.50 | +0 % | beyond +11 % | same |"))
    #expect(table.contains("different machines"))
    #expect(table.hasSuffix("1 of 20 cases are slower than before."))
  }
}
