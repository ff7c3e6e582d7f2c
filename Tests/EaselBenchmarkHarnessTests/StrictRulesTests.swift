@testable import EaselBenchmarkHarness
import Testing

struct StrictRulesTests {
  private func result(
    _ name: String = "load", ratio: Double, noise: Double = 0, bar: Double? = 1, memory: Int? = nil,
    memoryBar: Double? = nil
  ) -> CaseResult {
    func side(_ bytes: Int?) -> CaseResult.Side { .init(seconds: Spread(of: [1]), peakBytes: bytes) }
    // With so many pairs the least noise of a case is far below every figure here.
    let spread = ratio * noise / 0.75
    return CaseResult(
      name: name, group: "curl", baselineName: "C", subject: side(memory), baseline: side(100), ratio: ratio,
      quartiles: Quartiles(lower: ratio, upper: ratio + spread), pairs: 1_000_000, bar: bar, memoryBar: memoryBar)
  }

  private func verdict(_ rules: StrictRules, _ results: CaseResult..., others: Set<String> = []) -> StrictRules.Verdict
  {
    let machine = Machine(processor: "A", cores: 2, memoryKilobytes: 1, kernel: "6", swift: "6")
    let report = Report(machine: machine, results: results, skipped: [:])
    return rules.verdict(on: report, allTitles: others.union(results.map(\.title)))
  }

  private func rules(_ lines: String = "") throws -> StrictRules { StrictRules(known: try KnownMiss.list(lines)) }

  private let load = "time\t1.5\tcurl: load / C\tCurl\n"

  @Test func aBarMetOrNotSetIsAllowed() throws {
    let rules = try rules()
    #expect(rules.allows(result(ratio: 1)))
    #expect(rules.allows(result(ratio: 9, bar: nil)))
    #expect(verdict(rules, result(ratio: 1), result(ratio: 9, bar: nil)) == .init())
  }

  @Test func aMissThatNobodyKnowsFails() throws {
    let verdict = verdict(try rules(), result(ratio: 1.004))
    #expect(verdict.failures == ["curl: load / C: time 1.004, bar 1.00, not known"])
    #expect(
      verdict.text == "\nFails --strict:\n- curl: load / C: time 1.004, bar 1.00, not known\n\n--strict: 1 failed")
  }

  @Test func aMissWithinTheNoiseOfItsSamplesIsNamedAndPasses() throws {
    let rules = try rules()
    let within = verdict(rules, result(ratio: 1.03, noise: 0.04))
    #expect(within.failures.isEmpty)
    #expect(within.unclear == ["curl: load / C: time 1.030, bar 1.00, with noise up to 1.040"])
    #expect(within.text.hasPrefix("\nMissed by less than the noise of the samples:\n- curl: load / C: time 1.030"))
    #expect(within.text.hasSuffix("\n--strict: passed"))
    #expect(verdict(rules, result(ratio: 1.05, noise: 0.04)).failures.count == 1)
  }

  @Test func samplesThatDifferWidelyExcuseATenthAtMost() throws {
    #expect(try rules().allows(result(ratio: 1.09, noise: 0.8)))
    #expect(try !rules().allows(result(ratio: 1.11, noise: 0.8)))
    #expect(try rules(load).allows(result(ratio: 1.5, noise: 0.8)))
    #expect(try !rules(load).allows(result(ratio: 1.51, noise: 0.8)))
  }

  @Test func noiseOfTimesExcusesNoMemory() throws {
    #expect(try !rules().allows(result(ratio: 1, noise: 0.1, memory: 51, memoryBar: 0.5)))
  }

  @Test func aKnownMissIsAllowedUpToItsHighestRatio() throws {
    let rules = try rules(load)
    let within = verdict(rules, result(ratio: 1.5))
    #expect(within.failures.isEmpty)
    #expect(within.known == ["curl: load / C: time 1.500, bar 1.00, known up to 1.50: Curl"])
    #expect(within.text.hasSuffix("known up to 1.50: Curl\n\n--strict: passed"))
    let beyond = verdict(rules, result(ratio: 1.51))
    #expect(beyond.failures == ["curl: load / C: time 1.510, bar 1.00, known only up to 1.50"])
    #expect(beyond.known.isEmpty)
  }

  @Test func aKnownMissOfTimeExcusesNoMemory() throws {
    let verdict = verdict(try rules(load), result(ratio: 1.2, memory: 80, memoryBar: 0.5))
    #expect(verdict.failures == ["curl: load / C: memory 0.800, bar 0.50, not known"])
    #expect(verdict.known.count == 1)
  }

  @Test func memoryThatWasNotMeasuredFails() throws {
    let verdict = verdict(try rules(), result(ratio: 1, memoryBar: 0.5))
    #expect(verdict.failures == ["curl: load / C: memory unknown, bar 0.50, not known"])
  }

  @Test func aKnownMissThatIsMetIsNamedAndPasses() throws {
    let verdict = verdict(try rules(load), result(ratio: 0.9))
    #expect(verdict.failures.isEmpty && verdict.known.isEmpty)
    #expect(verdict.met == ["curl: load / C: time 0.900, bar 1.00"])
  }

  @Test func aKnownMissOfNoCaseFails() throws {
    let rules = try rules(load)
    #expect(verdict(rules).failures == ["curl: load / C: no such case; take it from the known misses"])
    #expect(verdict(rules, others: ["curl: load / C"]).failures.isEmpty)
  }

  @Test func whatIsAllowedIsMeasuredOnce() async throws {
    var count = 0
    let only = try await rules(load).result {
      count += 1; return result(ratio: 1.4)
    }
    #expect(count == 1 && only.ratio == 1.4)
  }

  @Test(arguments: [[1.3, 1.0, 0.9], [1.3, 0.8, 1.4], [1.2, 1.1, 1.3]])
  func aMissIsMeasuredTwiceMoreAndTheMiddleCounts(ratios: [Double]) async throws {
    var left = ratios[...]
    let middle = try await rules().result { result(ratio: left.removeFirst()) }
    #expect(left.isEmpty)
    #expect(middle.ratio == ratios.sorted()[1])
  }

  @Test func theBarThatIsMissedFurthestDecidesWhichIsTheMiddle() async throws {
    var left = [
      result(ratio: 0.5, memory: 90, memoryBar: 0.5), result(ratio: 0.6, memory: 40, memoryBar: 0.5),
      result(ratio: 1.5, memory: 40, memoryBar: 0.5),
    ][...]
    let middle = try await rules().result { left.removeFirst() }
    #expect(middle.ratio == 1.5)
  }

  @Test func aFailureToMeasureIsPassedOn() async throws {
    let rules = try rules()
    await #expect(throws: BenchmarkUnavailable.self) { try await rules.result { throw BenchmarkUnavailable("gone") } }
  }
}
