import EaselCore

/// Counts the events of a manager, and writes the numbers as OpenMetrics text.
///
/// Names and labels never change. Each label has a fixed set of values, and no value comes from a request. Work that
/// several loads share counts once.
///
/// ```swift
/// let metrics = ImageMetrics()
/// configuration.observer = metrics
/// // Later, in the handler of /metrics:
/// let (type, body) = (ImageMetrics.contentType, metrics.text())
/// ```
///
/// A ``MetricSink`` takes the same numbers to the metrics of another library.
public final class ImageMetrics: ImageObserver {
  /// The media type of the text.
  public static let contentType = MetricsText.Form.openMetrics.contentType

  private static let bounds = [
    0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
  ]

  private let loads = CounterMetric<OneLabel<LoadResult>>(
    "easel_loads_total", labels: ["result"], "Loads that ended.")
  private let sources = CounterMetric<OneLabel<SourceLabel>>(
    "easel_load_sources_total", labels: ["source"], "Loads that succeeded, by the place that had the picture.")
  private let errors = CounterMetric<OneLabel<ImageError.Code>>(
    "easel_load_errors_total", labels: ["code"], "Loads that failed or were cancelled, by the code of the error.",
    showsZeros: false)
  private let seconds = HistogramMetric<OneLabel<LoadResult>>(
    "easel_load_seconds", labels: ["result"], bounds: bounds, "Time from the beginning of loads to their result.")
  private let stages = HistogramMetric<OneLabel<StageLabel>>(
    "easel_stage_seconds", labels: ["stage"], bounds: bounds,
    "Time of each stage of the work; work that loads share counts once.")
  private let running = CounterMetric<NoLabels>(
    "easel_loads_in_flight", kind: .gauge, "Loads that have begun and not ended.")
  private let lookups = CounterMetric<OneLabel<LookupLabel>>(
    "easel_lookups_total", labels: ["result"], "Lookups in the cache, by the layer that had the entry.")
  private let claims = CounterMetric<TwoLabels<FlightKey.Kind, ImageEvent.ClaimResult>>(
    "easel_claims_total", labels: ["kind", "result"],
    "Claims of work that one of several machines does for all, by their results.")
  private let attempts = CounterMetric<NoLabels>("easel_transfers_total", "Calls of the loader, each attempt counted.")
  private let retries = CounterMetric<NoLabels>(
    "easel_retries_total", "Attempts that failed and were followed by another.")
  private let joined = CounterMetric<NoLabels>(
    "easel_joined_loads_total", "Loads that took part in work which another load had started.")
  private let bytes = CounterMetric<NoLabels>("easel_loaded_bytes_total", "Bytes of originals that were loaded.")
  private let stores = CounterMetric<NoLabels>("easel_stores_total", "Entries that were stored.")
  private let cacheFailures = CounterMetric<NoLabels>("easel_cache_failures_total", "Calls of a cache that failed.")
  private let lostThreads = CounterMetric<NoLabels>(
    "easel_lost_threads_total", "Threads that were abandoned because a plug-in did not return.")

  private let sink: (any MetricSink)?
  private let clock: any ImageClock
  private let work = RepeatedEvents()

  /// Creates metrics that are all zero.
  ///
  /// A sink is told of every change, under the same names and labels.
  public convenience init(to sink: (any MetricSink)? = nil) { self.init(to: sink, clock: SystemClock()) }

  init(to sink: (any MetricSink)? = nil, clock: any ImageClock) {
    self.sink = sink
    self.clock = clock
  }

  /// Writes all numbers as OpenMetrics text.
  ///
  /// Events are counted even while the text is written.
  public func text() -> String {
    MetricsText.of(
      [
        loads, sources, errors, seconds, stages, running, lookups, claims, attempts, retries, joined, bytes, stores,
        cacheFailures, lostThreads,
      ], as: .openMetrics)
  }

  /// Counts an event.
  public func observe(_ event: ImageEvent) {
    switch event.kind {
    case .started:
      work.begin(event.load, at: clock.uptime)
      count(running, NoLabels())
    case .succeeded(let source):
      count(sources, OneLabel(SourceLabel(source)))
      end(event, .success)
    case .failed(let error):
      count(errors, OneLabel(error.code))
      end(event, error.isCancellation ? .cancelled : .failure)
    default:
      guard work.isNews(event) else { return }
      count(event.kind)
    }
  }

  /// Counts the event of a piece of work.
  private func count(_ kind: ImageEvent.Kind) {
    switch kind {
    case .cacheHit(let layers): count(lookups, OneLabel(LookupLabel(layers)))
    case .cacheMiss: count(lookups, OneLabel(.miss))
    case .claimed(let kind, let result): count(claims, TwoLabels(kind, result))
    case .loading: count(attempts, NoLabels())
    case .retrying: count(retries, NoLabels())
    case .loaded(let count, let metrics):
      self.count(bytes, by: max(0, count), NoLabels())
      if let metrics { record(metrics.total, in: stages, OneLabel(.download)) }
    case .decoded(_, let time): record(time, in: stages, OneLabel(.decode))
    case .transformed(_, let time): record(time, in: stages, OneLabel(.transform))
    case .encoded(_, _, let time): record(time, in: stages, OneLabel(.encode))
    case .stored: count(stores, NoLabels())
    case .cacheFailed: count(cacheFailures, NoLabels())
    case .threadLost: count(lostThreads, NoLabels())
    case .started, .response, .notModified, .succeeded, .failed: break
    }
  }

  private func end(_ event: ImageEvent, _ result: LoadResult) {
    count(loads, OneLabel(result))
    guard let load = work.end(event.load) else { return }
    count(running, by: -1, NoLabels())
    record(clock.uptime - load.started, in: seconds, OneLabel(result))
    if load.hasJoined { count(joined, NoLabels()) }
  }

  private func count<Labels>(_ metric: CounterMetric<Labels>, by amount: Int = 1, _ labels: Labels) {
    metric.add(amount, labels)
    guard let sink else { return }
    let (name, pairs) = (metric.description.name, metric.description.pairs(with: labels))
    if metric.description.kind == .gauge {
      sink.adjust(name, pairs, by: amount)
    } else {
      sink.count(name, pairs, by: amount)
    }
  }

  private func record<Labels>(_ time: Duration, in metric: HistogramMetric<Labels>, _ labels: Labels) {
    metric.record(time, labels)
    sink?.record(metric.description.name, metric.description.pairs(with: labels), time)
  }
}

/// The outcome of a load.
private enum LoadResult: String, MetricLabel {
  case success, failure, cancelled
}

/// A stage whose time is measured.
private enum StageLabel: String, MetricLabel {
  case download, decode, transform, encode
}

/// The source of a picture.
private enum SourceLabel: String, MetricLabel {
  case memory, disk, shared, network, revalidated, bytes

  init(_ source: ImageEvent.Source) {
    switch source {
    case .memory: self = .memory
    case .disk: self = .disk
    case .shared: self = .shared
    case .network: self = .network
    case .revalidated: self = .revalidated
    case .bytes: self = .bytes
    }
  }
}

/// The nearest layer that had an entry.
private enum LookupLabel: String, MetricLabel {
  case memory, disk, shared, miss

  init(_ layers: CacheLayers) {
    self = layers.contains(.memory) ? .memory : layers.contains(.disk) ? .disk : .shared
  }
}
