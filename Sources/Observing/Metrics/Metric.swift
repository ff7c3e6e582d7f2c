import Synchronization

/// A metric: a name, a help line, and numbers with labels.
package protocol Metric: Sendable {
  var description: MetricDescription { get }
  /// The numbers at this moment.
  func samples() -> [MetricSample]
}

/// The facts about a metric that never change.
package struct MetricDescription: Hashable, Sendable {
  /// The kind of a metric.
  package enum Kind: String, Sendable {
    case counter, gauge, histogram, info
  }

  /// The name; that of a counter ends in `_total`, that of an info in `_info`.
  package let name: String
  package let help: String
  package let kind: Kind
  package let labels: [String]

  package init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
    self.name = name
    self.kind = kind
    self.labels = labels
    self.help = help
  }
}

/// One line of a metric's text.
package struct MetricSample: Sendable {
  /// The end of the name, such as `_bucket`.
  package var suffix = ""
  package var labels: [(name: String, value: String)] = []
  package let value: MetricNumber
}

/// The number of a sample.
package enum MetricNumber: Hashable, Sendable {
  case integer(Int)
  case real(Double)

  var text: String {
    switch self {
    case .integer(let value): String(value)
    case .real(let value): value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : "\(value)"
    }
  }
}

/// A number that many threads change without a lock.
final class MetricCell: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }
  func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }
}

/// Numbers that count up, or up and down.
package final class CounterMetric<Labels: MetricLabels>: Metric {
  package let description: MetricDescription
  private let cells: [(labels: Labels, cell: MetricCell)]
  // Never changed after its creation, so that it needs no lock.
  private let index: [Labels: MetricCell]
  private let showsZeros: Bool

  /// Creates a counter, or a gauge if `kind` says so.
  ///
  /// With `showsZeros: false`, combinations of labels that never occurred are left out of the text. `values` are those
  /// of the labels, where the type alone does not know them.
  package init(
    _ name: String, kind: MetricDescription.Kind = .counter, labels: [String] = [], _ help: String,
    showsZeros: Bool = true, values: [Labels] = Labels.all
  ) {
    description = MetricDescription(name, kind, labels: labels, help)
    cells = values.map { ($0, MetricCell()) }
    index = Dictionary(uniqueKeysWithValues: cells.map { ($0.labels, $0.cell) })
    self.showsZeros = showsZeros
  }

  package func add(_ amount: Int = 1, _ labels: Labels) { index[labels]?.add(amount) }

  package func value(_ labels: Labels) -> Int { index[labels]?.value ?? 0 }

  package func samples() -> [MetricSample] {
    cells.compactMap { labels, cell in
      let value = cell.value
      guard showsZeros || value != 0 else { return nil }
      return MetricSample(labels: Array(zip(description.labels, labels.values)), value: .integer(value))
    }
  }
}

/// A metric whose numbers are read when somebody asks.
package struct SampledMetric: Metric {
  package let description: MetricDescription
  private let read: @Sendable () -> [([String], MetricNumber)]

  /// Creates a metric; `read` returns the values of the labels and the number for each sample.
  package init(_ description: MetricDescription, read: @escaping @Sendable () -> [([String], MetricNumber)]) {
    self.description = description
    self.read = read
  }

  /// Creates a metric of one number; nil leaves it out.
  package init(
    _ name: String, _ kind: MetricDescription.Kind, _ help: String, read: @escaping @Sendable () -> MetricNumber?
  ) {
    self.init(MetricDescription(name, kind, help)) { read().map { [([], $0)] } ?? [] }
  }

  package func samples() -> [MetricSample] {
    read().map { MetricSample(labels: Array(zip(description.labels, $0)), value: $1) }
  }
}

extension CounterMetric {
  /// Adds one.
  package func add(_ labels: Labels) { add(1, labels) }
}
