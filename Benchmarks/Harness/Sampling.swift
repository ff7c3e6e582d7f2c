/// How long and how often a case is measured.
package struct Sampling: Equatable, Sendable {
  /// The shortest sample; the work is repeated until one takes this long.
  package var sampleSeconds: Double
  /// The least and the most pairs of samples.
  package var pairs: ClosedRange<Int>
  /// The time for all pairs of a case, where that leaves enough of them.
  package var budgetSeconds: Double

  /// How what runs now is measured: cases make less of what takes long when a rough look is enough.
  @TaskLocal package static var current = Sampling.standard

  package static let standard = Sampling(sampleSeconds: 0.005, pairs: 7...51, budgetSeconds: 2)
  package static let quick = Sampling(sampleSeconds: 0.005, pairs: 3...11, budgetSeconds: 0.3)
  /// Runs everything once: it shows that the cases work, not how fast they are.
  package static let smoke = Sampling(sampleSeconds: 0, pairs: 1...1, budgetSeconds: 0)

  func pairCount(secondsPerPair: Double) -> Int {
    let affordable = budgetSeconds / max(secondsPerPair, 1e-9)
    return affordable >= Double(pairs.upperBound) ? pairs.upperBound : max(pairs.lowerBound, Int(affordable))
  }
}
