/// Takes the numbers of ``ImageMetrics``, for the metrics of any library.
///
/// Names and labels are those of ``ImageMetrics/text()``: a name such as `easel_loads_total`, and labels of which each has
/// a closed set of values, so that none comes from a request. It is called on the way of each load, from several threads
/// at once, and must be quick.
///
/// ```swift
/// struct Printer: MetricSink {
///   func count(_ name: String, _ labels: [MetricTag], by amount: Int) { print(name, labels, "+\(amount)") }
///   func adjust(_ name: String, _ labels: [MetricTag], by amount: Int) { print(name, labels, amount) }
///   func record(_ name: String, _ labels: [MetricTag], _ time: Duration) { print(name, labels, time) }
/// }
/// ```
public protocol MetricSink: Sendable {
  /// Adds to a counter, which only grows.
  func count(_ name: String, _ labels: [MetricTag], by amount: Int)

  /// Adds to a gauge, which goes up and down; the amount may be negative.
  func adjust(_ name: String, _ labels: [MetricTag], by amount: Int)

  /// Adds a duration to a distribution.
  func record(_ name: String, _ labels: [MetricTag], _ time: Duration)
}

/// A label of a number: a name, and one of a few values.
public struct MetricTag: Hashable, Sendable {
  /// The name, such as `stage`.
  public let name: String
  /// The value, such as `decode`.
  public let value: String

  /// Pairs a name with a value.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
