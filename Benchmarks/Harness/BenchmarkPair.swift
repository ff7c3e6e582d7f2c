/// The measured work and the baseline.
package struct BenchmarkPair {
  let subject: BenchmarkSide
  let baseline: BenchmarkSide

  package init(subject: BenchmarkSide, baseline: BenchmarkSide) {
    self.subject = subject
    self.baseline = baseline
  }
}
