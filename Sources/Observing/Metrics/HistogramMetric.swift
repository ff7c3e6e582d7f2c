import Synchronization

/// A distribution of durations over buckets.
package final class HistogramMetric<Labels: MetricLabels>: Metric {
  private final class Cells: Sendable {
    /// One cell for each bound, and one for longer durations.
    let buckets: [MetricCell]
    let nanoseconds = MetricCell()

    init(count: Int) { buckets = (0..<count).map { _ in MetricCell() } }
  }

  package let description: MetricDescription
  private let bounds: [Double]
  private let nanosecondBounds: [Int]
  private let cells: [(labels: Labels, cells: Cells)]
  private let index: [Labels: Cells]

  /// Creates a histogram; `bounds` are the upper ends of the buckets in seconds, in rising order.
  package init(_ name: String, labels: [String] = [], bounds: [Double], _ help: String) {
    description = MetricDescription(name, .histogram, labels: labels, help)
    self.bounds = bounds
    nanosecondBounds = bounds.map { Int(($0 * 1e9).rounded()) }
    cells = Labels.all.map { ($0, Cells(count: bounds.count + 1)) }
    index = Dictionary(uniqueKeysWithValues: cells.map { ($0.labels, $0.cells) })
  }

  package func record(_ duration: Duration, _ labels: Labels) {
    guard let cells = index[labels] else { return }
    let nanoseconds = Int(min(max(0, duration / .nanoseconds(1)), 1e17))
    cells.buckets[nanosecondBounds.firstIndex { nanoseconds <= $0 } ?? bounds.count].add(1)
    cells.nanoseconds.add(nanoseconds)
  }

  package func count(_ labels: Labels) -> Int { index[labels]?.buckets.reduce(0) { $0 + $1.value } ?? 0 }

  package func samples() -> [MetricSample] {
    cells.flatMap { labels, cells -> [MetricSample] in
      let names = Array(zip(description.labels, labels.values))
      var sum = 0
      var samples: [MetricSample] = []
      for (bound, bucket) in zip(bounds + [.infinity], cells.buckets) {
        sum += bucket.value
        let limit = MetricNumber.real(bound).text
        samples.append(MetricSample(suffix: "_bucket", labels: names + [("le", limit)], value: .integer(sum)))
      }
      samples.append(
        MetricSample(suffix: "_sum", labels: names, value: .real(Double(cells.nanoseconds.value) / 1e9)))
      // The count is the sum of the buckets that were read, so that it equals the last bucket even if counting goes on.
      samples.append(MetricSample(suffix: "_count", labels: names, value: .integer(sum)))
      return samples
    }
  }
}
