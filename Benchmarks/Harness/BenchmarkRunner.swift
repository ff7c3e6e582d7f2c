/// Measures cases: warm-up, then samples of both sides in turn.
package struct BenchmarkRunner: Sendable {
  let sampling: Sampling
  let counter: CostCounter?

  package init(sampling: Sampling, counter: CostCounter?) {
    self.sampling = sampling
    self.counter = counter
  }

  package func run(_ benchmark: BenchmarkCase) async throws -> CaseResult {
    try await Sampling.$current.withValue(sampling) { try await measure(benchmark) }
  }

  private func measure(_ benchmark: BenchmarkCase) async throws -> CaseResult {
    let pair = try await benchmark.prepare()
    let subjectPeak = try await peak(of: pair.subject)
    let baselinePeak = try await peak(of: pair.baseline)
    // Work that takes seconds is warm by now, and its case decides how many pairs there are.
    let isLong = benchmark.mostPairs.map { $0 <= sampling.pairs.lowerBound } ?? false
    let (subjectRepetitions, subjectSeconds) = isLong ? (1, 0) : try await calibrate(pair.subject)
    let (baselineRepetitions, baselineSeconds) = isLong ? (1, 0) : try await calibrate(pair.baseline)

    var subjectSamples: [Double] = []
    var baselineSamples: [Double] = []
    let pairs = min(
      sampling.pairCount(secondsPerPair: subjectSeconds + baselineSeconds), benchmark.mostPairs ?? .max)
    for _ in 0..<pairs {
      subjectSamples.append(try await pair.subject.seconds(subjectRepetitions) / Double(subjectRepetitions))
      baselineSamples.append(try await pair.baseline.seconds(baselineRepetitions) / Double(baselineRepetitions))
    }

    var subject = CaseResult.Side(seconds: Spread(of: subjectSamples), peakBytes: subjectPeak)
    var baseline = CaseResult.Side(seconds: Spread(of: baselineSamples), peakBytes: baselinePeak)
    try await count(pair.subject, repetitions: subjectRepetitions, into: &subject)
    try await count(pair.baseline, repetitions: baselineRepetitions, into: &baseline)
    let ratios = zip(subjectSamples, baselineSamples).map { $0 / $1 }
    return CaseResult(
      name: benchmark.name, group: benchmark.group, baselineName: benchmark.baselineName,
      subject: subject, baseline: baseline,
      ratio: Spread(of: ratios).median, quartiles: Quartiles(of: ratios),
      pairs: pairs, bar: benchmark.bar, memoryBar: benchmark.memoryBar
    )
  }

  private func peak(of side: BenchmarkSide) async throws -> Int? {
    if let peakBytes = side.peakBytes { return try await peakBytes() }
    return try await PeakMemory.growth { _ = try await side.seconds(1) }
  }

  /// Finds the number of repetitions that makes a sample long enough; this is the warm-up, too.
  private func calibrate(_ side: BenchmarkSide) async throws -> (repetitions: Int, seconds: Double) {
    var repetitions = 1
    while true {
      let seconds = try await side.seconds(repetitions)
      if seconds >= sampling.sampleSeconds || repetitions >= 1 << 40 { return (repetitions, seconds) }
      // A little more than seems necessary, so that few rounds are too short; a tiny sample must not cause a large
      // step.
      let needed = Double(repetitions) * sampling.sampleSeconds * 1.2 / max(seconds, 1e-9)
      repetitions = min(repetitions * 100, max(repetitions + 1, Int(needed)))
    }
  }

  /// Counts in a separate run, because counting would slow the timed samples down.
  private func count(_ side: BenchmarkSide, repetitions: Int, into result: inout CaseResult.Side) async throws {
    guard let counter, side.peakBytes == nil else { return }
    let repetitions = min(repetitions, 100)
    let counted = try await counter.count(of: repetitions) { _ = try await side.seconds(repetitions) }
    result.allocations = Double(counted.allocations) / Double(repetitions)
    result.allocatedBytes = Double(counted.bytes) / Double(repetitions)
    result.locks = Double(counted.locks) / Double(repetitions)
    result.commonLocks = Double(counted.commonLocks) / Double(repetitions)
    result.busiestLock = Double(counted.busiestLock) / Double(repetitions)
  }
}
