import Easel
import EaselObserving
import EaselSupport

/// How the loads from one place have ended.
final class SourceHealth: Sendable {
  /// The end of a load.
  enum Outcome: String, CaseIterable, Sendable {
    case loaded
    /// The place works, and has no such picture.
    case missing
    /// The place does not accept the credentials.
    case denied
    case failed

    /// The end by an error; nil if the client gave up, or if the picture is at fault.
    init?(_ error: any Error) {
      if error is CancellationError { return nil }
      guard let error = error as? ImageError else {
        self = .failed
        return
      }
      switch (error.code, error.response?.status) {
      case (.cancelled, _), (.limitExceeded, _): return nil
      case (_, 404?), (_, 410?), (.invalidURL, nil): self = .missing
      case (_, 401?), (_, 403?): self = .denied
      case (_, let status?) where status < 400: return nil
      default: self = .failed
      }
    }

    /// True if the place can be used.
    var isGood: Bool { self == .loaded || self == .missing }
  }

  private struct State {
    var counts: [Outcome: Int] = [:]
    var last: Outcome?
    var failuresInARow = 0
  }

  private let state = Locked(State())

  func note(_ outcome: Outcome) {
    state.withLock { state in
      state.counts[outcome, default: 0] += 1
      state.last = outcome
      state.failuresInARow = outcome.isGood ? 0 : state.failuresInARow + 1
    }
  }

  func count(_ outcome: Outcome) -> Int { state.withLock { $0.counts[outcome] ?? 0 } }

  /// True unless the last load failed.
  var isUp: Bool { state.withLock { $0.last?.isGood ?? true } }

  var failuresInARow: Int { state.withLock { $0.failuresInARow } }
}

/// The health of all places that the settings describe.
///
/// A place that the settings name again keeps its counts.
final class SourceHealths: Sendable {
  private let state = Locked<[(name: String, health: SourceHealth)]>([])

  /// Keeps these places, in this order, and forgets others.
  func follow(_ names: [String]) {
    state.withLock { state in
      let known = Dictionary(state.map { ($0.name, $0.health) }, uniquingKeysWith: { $1 })
      state = names.map { ($0, known[$0] ?? SourceHealth()) }
    }
  }

  subscript(name: String) -> SourceHealth? { state.withLock { $0.first { $0.name == name }?.health } }

  var metrics: [any Metric] {
    @Sendable func all() -> [(name: String, health: SourceHealth)] { state.withLock { $0 } }
    return [
      SampledMetric(
        MetricDescription(
          "easel_source_loads_total", .counter, labels: ["source", "result"],
          "Loads from each place that the file of sources describes, by how they ended.")
      ) {
        all().flatMap { place in
          SourceHealth.Outcome.allCases.map { ([place.name, $0.rawValue], .integer(place.health.count($0))) }
        }
      },
      SampledMetric(
        MetricDescription(
          "easel_source_up", .gauge, labels: ["source"], "1 unless the last load from the place failed or was denied.")
      ) { all().map { ([$0.name], .integer($0.health.isUp ? 1 : 0)) } },
      SampledMetric(
        MetricDescription(
          "easel_source_failures_in_a_row", .gauge, labels: ["source"],
          "Loads from the place that failed or were denied since the last one that did not.")
      ) { all().map { ([$0.name], .integer($0.health.failuresInARow)) } },
    ]
  }
}
