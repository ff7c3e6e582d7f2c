import Synchronization

/// A metric: a name, a help line, and numbers with labels.
package protocol Metric: Sendable {
  var description: MetricDescription { get }
  /// Reads the numbers of this moment.
  func samples() -> [MetricSample]
}

/// The properties of a metric that never change.
package struct MetricDescription: Hashable, Sendable {
  /// The type of a metric.
  package enum Kind: String, Sendable {
    case counter, gauge, histogram, info
  }

  /// The name; for a counter it ends in `_total`, for an info in `_info`.
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

extension MetricDescription {
  /// The names of the labels with their values.
  func pairs(with values: some MetricLabels) -> [MetricTag] {
    zip(labels, values.values).map { MetricTag(name: $0, value: $1) }
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

/// One or more numbers that only rise, or that rise and fall.
package final class CounterMetric<Labels: MetricLabels>: Metric {
  package let description: MetricDescription
  private let cells: [(labels: Labels, cell: MetricCell)]
  // Never changed after its creation, so it needs no lock.
  private let index: [Labels: MetricCell]
  private let showsZeros: Bool

  /// Creates a counter, or a metric of another `kind`.
  ///
  /// With `showsZeros: false`, the text omits combinations of labels that never occurred. `values` are the
  /// combinations, if they do not follow from the type.
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

/// A metric whose numbers are read only when the text is written.
package struct SampledMetric: Metric {
  package let description: MetricDescription
  private let read: @Sendable () -> [([String], MetricNumber)]

  /// Creates a metric; `read` returns the label values and the number of each sample.
  package init(_ description: MetricDescription, read: @escaping @Sendable () -> [([String], MetricNumber)]) {
    self.description = description
    self.read = read
  }

  /// Creates a metric with one number; if `read` returns nil, the text omits it.
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
