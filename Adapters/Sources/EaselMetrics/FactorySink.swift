import EaselCore
import EaselObserving
import Metrics
import Synchronization

/// Hands the numbers of ``ImageMetrics`` to the metrics of the program.
public final class FactorySink: MetricSink {
  /// The name and the labels of a number.
  private struct Key: Hashable {
    let name: String
    let labels: [MetricTag]

    var dimensions: [(String, String)] { labels.map { ($0.name, $0.value) } }
  }

  /// Labels have few values, so there are few of these, and they are never dropped.
  private struct Handles {
    var counters: [Key: Counter] = [:]
    var meters: [Key: Meter] = [:]
    var timers: [Key: Timer] = [:]
  }

  private let factory: any MetricsFactory
  private let handles = Mutex(Handles())

  /// Takes the factory; without one it is that with which the metrics of the program were bootstrapped.
  public init(_ factory: (any MetricsFactory)? = nil) { self.factory = factory ?? MetricsSystem.factory }

  /// Adds to a counter.
  public func count(_ name: String, _ labels: [MetricTag], by amount: Int) {
    let key = Key(name: name, labels: labels)
    handle(key, in: \.counters) { Counter(label: name, dimensions: key.dimensions, factory: factory) }
      .increment(by: amount)
  }

  /// Adds to a meter.
  public func adjust(_ name: String, _ labels: [MetricTag], by amount: Int) {
    let key = Key(name: name, labels: labels)
    let meter = handle(key, in: \.meters) { Meter(label: name, dimensions: key.dimensions, factory: factory) }
    if amount < 0 { meter.decrement(by: Double(-amount)) } else { meter.increment(by: Double(amount)) }
  }

  /// Records a duration in a timer.
  public func record(_ name: String, _ labels: [MetricTag], _ time: Duration) {
    let key = Key(name: name, labels: labels)
    handle(key, in: \.timers) {
      Timer(label: name, dimensions: key.dimensions, preferredDisplayUnit: .seconds, factory: factory)
    }
    .recordNanoseconds(Int64(min(max(0, time / .nanoseconds(1)), 9e18)))
  }

  private func handle<Handle>(
    _ key: Key, in table: WritableKeyPath<Handles, [Key: Handle]> & Sendable, make: () -> Handle
  ) -> Handle where Handle: Sendable {
    if let known = handles.withLock({ $0[keyPath: table][key] }) { return known }
    // The factory is the program's own code, so no lock is held; of two that are made at once, the first stays.
    let made = make()
    return handles.withLock { handles in
      if let known = handles[keyPath: table][key] { return known }
      handles[keyPath: table][key] = made
      return made
    }
  }
}

extension ImageObserver where Self == ImageMetrics {
  /// Counts and times loads in the metrics of the program, under the names that `ImageMetrics` documents.
  ///
  /// Bootstrap the metrics of the program first.
  ///
  /// ```swift
  /// configuration.addObserver(.metrics())
  /// ```
  public static func metrics(_ factory: (any MetricsFactory)? = nil) -> Self { ImageMetrics(to: FactorySink(factory)) }
}
