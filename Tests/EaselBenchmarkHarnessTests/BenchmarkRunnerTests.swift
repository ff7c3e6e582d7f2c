@testable import EaselBenchmarkHarness
import Testing

struct BenchmarkRunnerTests {
  /// Sides with scripted times, so that the runner's results are known exactly.
  private final class Script {
    var calls: [(side: Character, repetitions: Int)] = []

    func side(_ name: Character, secondsPerCall: @escaping (_ call: Int) -> Double) -> BenchmarkSide {
      .timed { [self] repetitions in
        calls.append((name, repetitions))
        return secondsPerCall(calls.count(where: { $0.side == name })) * Double(repetitions)
      }
    }
  }

  private func benchmark(
    _ script: Script, a: Double, b: Double, bar: Double? = nil, mostPairs: Int? = nil
  ) -> BenchmarkCase {
    BenchmarkCase("case", group: "group", against: "baseline", atMost: bar, mostPairs: mostPairs) {
      BenchmarkPair(subject: script.side("A") { _ in a }, baseline: script.side("B") { _ in b })
    }
  }

  @Test func theRatioIsThatOfTheTimesPerRepetitionThoughBothSidesRepeatDifferently() async throws {
    let script = Script()
    let result = try await BenchmarkRunner(sampling: .quick, counter: nil).run(benchmark(script, a: 3e-6, b: 1e-3))
    #expect(abs(result.ratio - 0.003) < 1e-9)
    #expect(abs(result.subject.seconds.median - 3e-6) < 1e-15)
    #expect(abs(result.baseline.seconds.max - 1e-3) < 1e-12)
    let repetitions = Dictionary(script.calls.map { ($0.side, $0.repetitions) }, uniquingKeysWith: { $1 })
    #expect(try #require(repetitions["A"]) > #require(repetitions["B"]))
  }

  @Test func samplesAreLongEnoughAndNotMuchLonger() async throws {
    let script = Script()
    let sampling = Sampling(sampleSeconds: 0.005, pairs: 5...5, budgetSeconds: 1)
    _ = try await BenchmarkRunner(sampling: sampling, counter: nil).run(benchmark(script, a: 7e-9, b: 2e-5))
    let samples = script.calls.suffix(10)
    #expect(samples.map(\.side) == ["A", "B", "A", "B", "A", "B", "A", "B", "A", "B"])
    for sample in samples {
      let seconds = Double(sample.repetitions) * (sample.side == "A" ? 7e-9 : 2e-5)
      #expect((0.005...0.007).contains(seconds))
    }
  }

  @Test func aPairThatTheMachineDisturbedDoesNotMoveTheRatio() async throws {
    let script = Script()
    let sampling = Sampling(sampleSeconds: 0, pairs: 5...5, budgetSeconds: 1)
    let disturbed = BenchmarkCase("case", group: "group", against: "baseline") {
      // Sampling begins with the third call; after two pairs the machine runs at half speed.
      let seconds = { (call: Int) in call == 4 ? 9.0 : call > 4 ? 2.0 : 1.0 }
      return BenchmarkPair(
        subject: script.side("A") { 2 * seconds($0) },
        baseline: script.side("B") { $0 == 4 ? 1 : seconds($0) }
      )
    }
    let result = try await BenchmarkRunner(sampling: sampling, counter: nil).run(disturbed)
    #expect(result.ratio == 2)
    #expect(result.subject.seconds.max == 18)
  }

  @Test func theTimeBudgetDecidesHowManyPairsWithinItsBounds() async throws {
    let runner = BenchmarkRunner(
      sampling: Sampling(sampleSeconds: 0.01, pairs: 4...20, budgetSeconds: 1), counter: nil)
    #expect(try await runner.run(benchmark(Script(), a: 1, b: 2)).pairs == 4)
    #expect(try await runner.run(benchmark(Script(), a: 0.05, b: 0.05)).pairs == 10)
    #expect(try await runner.run(benchmark(Script(), a: 0.01, b: 0.01)).pairs == 20)
  }

  @Test func aSmokeRunRepeatsNothing() async throws {
    let script = Script()
    _ = try await BenchmarkRunner(sampling: .smoke, counter: nil).run(benchmark(script, a: 1e-9, b: 0))
    #expect(script.calls.allSatisfy { $0.repetitions == 1 })
    #expect(script.calls.count == 6)
  }

  @Test func theBarIsMetUpToItsVeryValue() async throws {
    let runner = BenchmarkRunner(sampling: .smoke, counter: nil)
    #expect(try await runner.run(benchmark(Script(), a: 2, b: 1, bar: 2)).meetsBar)
    #expect(try await !runner.run(benchmark(Script(), a: 2.001, b: 1, bar: 2)).meetsBar)
    #expect(try await runner.run(benchmark(Script(), a: 1000, b: 1)).meetsBar)
  }

  @Test func allocationsAndLocksAreCountedPerRepetition() async throws {
    let counter = CostCounter(
      start: {}, stop: { _ in .init(allocations: 300, bytes: 4800, locks: 200, commonLocks: 100, busiestLock: 50) })
    let sampling = Sampling(sampleSeconds: 1, pairs: 1...1, budgetSeconds: 0)
    let result = try await BenchmarkRunner(sampling: sampling, counter: counter)
      .run(benchmark(Script(), a: 1e-3, b: 1))
    #expect(result.subject.allocations == 3)
    #expect(result.subject.allocatedBytes == 48)
    #expect(result.subject.locks == 2 && result.subject.commonLocks == 1 && result.subject.busiestLock == 0.5)
    #expect(result.baseline.allocations == 300)
  }

  @Test func aCaseThatCannotRunHereSaysWhy() async {
    let runner = BenchmarkRunner(sampling: .smoke, counter: nil)
    let benchmark = BenchmarkCase("case", group: "group", against: "baseline") {
      throw BenchmarkUnavailable("no such library")
    }
    let error = await #expect(throws: BenchmarkUnavailable.self) { try await runner.run(benchmark) }
    #expect(error?.reason == "no such library")
  }

  @Test func aSideThatKnowsItsPeakIsNotLookedAtNorItsAllocationsCounted() async throws {
    let counter = CostCounter(start: {}, stop: { _ in .init(allocations: 300, bytes: 4800) })
    let result = try await BenchmarkRunner(sampling: .smoke, counter: counter).run(
      BenchmarkCase("case", group: "group", against: "baseline", memoryAtMost: 0.25) {
        BenchmarkPair(
          subject: .timed { _ in 1 }.withPeak { 1 << 20 }, baseline: .timed { _ in 1 }.withPeak { 1 << 22 })
      })
    #expect(result.subject.peakBytes == 1 << 20)
    #expect(result.memoryRatio == 0.25)
    #expect(result.meetsBar)
    #expect(result.subject.allocations == nil)
  }

  @Test(arguments: [1_048_577, nil]) func aPeakTooHighOrUnknownMissesItsBar(peak: Int?) async throws {
    let result = try await BenchmarkRunner(sampling: .smoke, counter: nil).run(
      BenchmarkCase("case", group: "group", against: "baseline", atMost: 1, memoryAtMost: 0.25) {
        BenchmarkPair(subject: .timed { _ in 1 }.withPeak { peak }, baseline: .timed { _ in 1 }.withPeak { 1 << 22 })
      })
    #expect(result.meetsTimeBar)
    #expect(!result.meetsBar)
  }

  @Test func longWorkIsDoneOnceForItsPeakAndOnceForEachPairThatItsCaseAllows() async throws {
    let script = Script()
    let sampling = Sampling(sampleSeconds: 5, pairs: 7...51, budgetSeconds: 2)
    let result = try await BenchmarkRunner(sampling: sampling, counter: nil)
      .run(benchmark(script, a: 1, b: 2, mostPairs: 3))
    #expect(result.pairs == 3 && result.ratio == 0.5)
    #expect(String(script.calls.map(\.side)) == "ABABABAB")
    #expect(script.calls.allSatisfy { $0.repetitions == 1 })
  }

  @Test func workOfACaseThatAllowsManyPairsIsCalibrated() async throws {
    let script = Script()
    let sampling = Sampling(sampleSeconds: 0.5, pairs: 2...51, budgetSeconds: 100)
    let result = try await BenchmarkRunner(sampling: sampling, counter: nil)
      .run(benchmark(script, a: 0.1, b: 0.2, mostPairs: 3))
    #expect(result.pairs == 3)
    #expect(script.calls.suffix(6).allSatisfy { Double($0.repetitions) * ($0.side == "A" ? 0.1 : 0.2) >= 0.5 })
  }

  @Test func aCaseCanSeeHowItIsMeasured() async throws {
    _ = try await BenchmarkRunner(sampling: .quick, counter: nil).run(
      BenchmarkCase("case", group: "group", against: "baseline") {
        #expect(Sampling.current == .quick)
        return BenchmarkPair(subject: .timed { _ in 1 }, baseline: .timed { _ in 1 })
      })
    #expect(Sampling.current == .standard)
  }

  @Test func synchronousAndSuspendingWorkIsDoneAsOftenAsAsked() async throws {
    final class Tally { var loops: [Int] = [], calls = 0, awaits = 0 }
    let tally = Tally()
    let runner = BenchmarkRunner(sampling: .smoke, counter: nil)
    _ = try await runner.run(
      BenchmarkCase("case", group: "group", against: "baseline") {
        BenchmarkPair(subject: .loop { tally.loops.append($0) }, baseline: .call { tally.calls += 1 })
      })
    let result = try await runner.run(
      BenchmarkCase("case", group: "group", against: "baseline") {
        BenchmarkPair(
          subject: .asyncCall {
            await Task.yield()
            tally.awaits += 1
          }, baseline: .call {})
      })
    #expect(tally.loops == [1, 1, 1])
    #expect(tally.calls == 3)
    #expect(tally.awaits == 3)
    #expect(result.subject.seconds.median > 0)
  }
}
