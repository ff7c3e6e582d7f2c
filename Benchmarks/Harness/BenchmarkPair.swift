/// What is measured, and what it is measured against.
package struct BenchmarkPair {
  let subject: BenchmarkSide
  let baseline: BenchmarkSide

  package init(subject: BenchmarkSide, baseline: BenchmarkSide) {
    self.subject = subject
    self.baseline = baseline
  }
}
