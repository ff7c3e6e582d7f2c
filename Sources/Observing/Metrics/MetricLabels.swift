import EaselCore

/// A label with a fixed set of values.
///
/// A metric keeps a number for each value, so a value must never come from a request.
package protocol MetricLabel: CaseIterable, Hashable, Sendable {
  /// The value in the text of the metrics.
  var text: String { get }
}

extension MetricLabel where Self: RawRepresentable, RawValue == String {
  package var text: String { rawValue }
}

/// The labels of one number of a metric.
package protocol MetricLabels: Hashable, Sendable {
  static var all: [Self] { get }
  var values: [String] { get }
}

/// The labels of a metric that has only one number.
package struct NoLabels: MetricLabels {
  package static var all: [NoLabels] { [NoLabels()] }
  package var values: [String] { [] }
  package init() {}
}

/// One label.
package struct OneLabel<Label: MetricLabel>: MetricLabels {
  package let label: Label
  package static var all: [Self] { Label.allCases.map(Self.init) }
  package var values: [String] { [label.text] }
  package init(_ label: Label) { self.label = label }
}

/// Two labels in every combination.
package struct TwoLabels<First: MetricLabel, Second: MetricLabel>: MetricLabels {
  package let first: First
  package let second: Second
  package static var all: [Self] {
    First.allCases.flatMap { first in Second.allCases.map { second in Self(first, second) } }
  }
  package var values: [String] { [first.text, second.text] }
  package init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }
}

extension ImageError.Code: MetricLabel {
  package var text: String { name }
}

extension FlightKey.Kind: MetricLabel {}

extension ImageEvent.ClaimResult: MetricLabel {
  package var text: String {
    switch self {
    case .won: "won"
    case .handedOver: "handed_over"
    case .failed: "failed"
    case .goAhead: "go_ahead"
    case .unanswered: "unanswered"
    }
  }
}
