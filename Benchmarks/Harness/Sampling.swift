/// The length and the number of the samples of a case.
package struct Sampling: Equatable, Sendable {
  /// The shortest sample; the work is repeated until a sample takes this long.
  package var sampleSeconds: Double
  /// The minimum and the maximum of sample pairs.
  package var pairs: ClosedRange<Int>
  /// The time for all pairs of a case, unless that allows fewer than the minimum.
  package var budgetSeconds: Double

  /// The sampling of the current run; cases reduce long work for quick runs.
  @TaskLocal package static var current = Sampling.standard

  package static let standard = Sampling(sampleSeconds: 0.005, pairs: 7...51, budgetSeconds: 2)
  package static let quick = Sampling(sampleSeconds: 0.005, pairs: 3...11, budgetSeconds: 0.3)
  /// Runs everything once, which shows that the cases work but not how fast they are.
  package static let smoke = Sampling(sampleSeconds: 0, pairs: 1...1, budgetSeconds: 0)

  func pairCount(secondsPerPair: Double) -> Int {
    let affordable = budgetSeconds / max(secondsPerPair, 1e-9)
    return affordable >= Double(pairs.upperBound) ? pairs.upperBound : max(pairs.lowerBound, Int(affordable))
  }
}
