import EaselCore
import EaselFormats
import EaselObserving
import EaselSupport
import EaselTiers

/// The metrics of the picture server.
///
/// Their names never change. Each label has a closed set of values, none of which comes from a request.
package final class ServiceMetrics: Sendable {
  private let requests = CounterMetric<TwoLabels<StatusLabel, ServiceRoute>>(
    "easel_requests_total", labels: ["status", "route"], "Requests that were answered.", showsZeros: false)
  private let seconds = HistogramMetric<OneLabel<RequestStage>>(
    "easel_request_seconds", labels: ["stage"],
    bounds: [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    "Time that requests spent in each stage; work that requests share counts once.")
  private let inFlight = CounterMetric<OneLabel<RunningStage>>(
    "easel_in_flight", kind: .gauge, labels: ["stage"],
    "Requests that are in each stage now; the stage work is decoding, changing and encoding.")
  private let cache = CounterMetric<TwoLabels<CacheLayerLabel, CacheResult>>(
    "easel_cache_total", labels: ["layer", "result"], "Lookups in each layer of the cache.")
  private let flights = CounterMetric<TwoLabels<FlightRole, FlightOutcome>>(
    "easel_flight_total", labels: ["role", "outcome"],
    "Loads that took part in work that loads can share: as its leader, or as a follower who joined it.")
  private let breaker = CounterMetric<NoLabels>(
    "easel_shared_breaker_open", kind: .gauge,
    "Shared stores that are not asked now because they failed.")
  private let claims = CounterMetric<TwoLabels<FlightKey.Kind, ImageEvent.ClaimResult>>(
    "easel_claims_total", labels: ["kind", "result"],
    "Claims of work that one of several machines does for all, by their results.")
  private let sourceBytes = CounterMetric<NoLabels>("easel_source_bytes_total", "Bytes of originals that were loaded.")
  private let resultBytes: CounterMetric<FormatLabel>
  private let errors = CounterMetric<OneLabel<ImageError.Code>>(
    "easel_errors_total", labels: ["code"], "Loads that failed, by the code of the error.")
  private let crashes: CounterMetric<FormatLabel>
  private let rejections = CounterMetric<OneLabel<RejectionReason>>(
    "easel_rejected_total", labels: ["reason"], "Requests that were turned away without work.")
  private let connections = CounterMetric<NoLabels>(
    "easel_connections", kind: .gauge, "Connections for pictures that are open.")
  private let sampled: [any Metric]
  private let ledger: Locked<PurgeLedger?>
  private let sweep: Locked<PurgeSweep?>
  private let memory: [any Metric]
  let clock: any ImageClock
  let events = LoadEvents()
  private let formats: FormatCards

  /// Creates metrics that are all zero.
  ///
  /// `formats` have labels of their own, `admission` reads the counts of the queue, `memory` the parts of the memory,
  /// `caches` what their layers hold,
  /// and `others` are shown as well.
  package init(
    version: String, formats: FormatCards = FormatCards(), process: any ProcessFigures = SystemProcess(),
    memory: MemoryFigures = MemoryFigures(), caches: CacheFigures = CacheFigures(),
    others: [any Metric] = [],
    clock: any ImageClock = SystemClock(), admission: (@Sendable () -> AdmissionSnapshot)? = nil
  ) {
    self.formats = formats
    let labels = FormatLabel.labels(of: formats)
    resultBytes = CounterMetric(
      "easel_result_bytes_total", labels: ["format"], "Bytes of results that were sent.", values: labels)
    crashes = CounterMetric(
      "easel_decoder_crashes_total", labels: ["format"], "Decoders that crashed or broke the rules of the sandbox.",
      values: labels)
    self.memory = memory.metrics + caches.metrics + others
    let (ledger, sweep) = (Locked<PurgeLedger?>(nil), Locked<PurgeSweep?>(nil))
    (self.ledger, self.sweep) = (ledger, sweep)
    self.clock = clock
    sampled = [
      SampledMetric(
        "easel_queue_cost_pixels", .gauge,
        "Estimated cost of the work that waits, as the number of pixels of a JPEG that are decoded in the same time."
      ) { .integer(admission?().waitingPixels ?? 0) },
      SampledMetric(
        MetricDescription("easel_queue_waiting", .gauge, labels: ["lane"], "Pieces of work that wait in each lane.")
      ) { Self.lanes(admission) { $0.waiting } },
      SampledMetric(
        MetricDescription("easel_queue_running", .gauge, labels: ["lane"], "Pieces of work that run in each lane.")
      ) { Self.lanes(admission) { $0.running } },
      SampledMetric("easel_purges_total", .counter, "Purges that were done here or learned from other servers.") {
        .integer(ledger.figures?.purges ?? 0)
      },
      SampledMetric("easel_purge_entries", .gauge, "Sources, prefixes and tags whose purges are remembered.") {
        .integer(ledger.figures?.entries ?? 0)
      },
      SampledMetric(
        "easel_purge_removed_entries_total", .counter,
        "Entries of the disk that were removed after their source was purged."
      ) { .integer(sweep.withLock { $0 }?.figures.entries ?? 0) },
      SampledMetric("easel_purge_removed_bytes_total", .counter, "Bytes of these entries.") {
        .integer(sweep.withLock { $0 }?.figures.bytes ?? 0)
      },
      SampledMetric(
        "easel_purge_cut_off_seconds", .gauge,
        "Time since which nothing was heard of the purges of others; 0 while the server hears of them."
      ) { .real((ledger.figures?.cutOffTime ?? .zero) / .seconds(1)) },
      SampledMetric(
        MetricDescription("easel_build_info", .info, labels: ["version"], "The version of the program; always 1.")
      ) { [([version], .integer(1))] },
      SampledMetric("process_resident_memory_bytes", .gauge, "Resident memory of the process.") {
        process.residentBytes.map { .integer($0) }
      },
      SampledMetric("process_cpu_seconds_total", .counter, "Processor time that the process has used.") {
        process.processorSeconds.map { .real($0) }
      },
      SampledMetric(
        "easel_sandbox_cpu_seconds_total", .counter,
        "Processor time that the processes of the sandbox have used, which is not that of the process."
      ) { process.childSeconds.map { .real($0) } },
      SampledMetric("process_open_fds", .gauge, "Open file descriptors of the process.") {
        process.openDescriptors.map { .integer($0) }
      },
      SampledMetric("process_max_fds", .gauge, "Limit of open file descriptors of the process.") {
        process.mostDescriptors.map { .integer($0) }
      },
      SampledMetric("process_start_time_seconds", .gauge, "Start of the process, in seconds since 1970.") {
        process.startSeconds.map { .real($0) }
      },
    ]
  }

  /// All metrics as text.
  package func text(as form: MetricsText.Form = .prometheus) -> String {
    let counted: [any Metric] = [
      requests, seconds, inFlight, connections, cache, breaker, flights, claims, sourceBytes, resultBytes, errors,
      crashes,
      rejections,
    ]
    return MetricsText.of(counted + memory + sampled, as: form)
  }

  private static func lanes(
    _ admission: (@Sendable () -> AdmissionSnapshot)?, _ value: (AdmissionSnapshot.Lane) -> Int
  ) -> [([String], MetricNumber)] {
    let lanes = admission?().lanes ?? [:]
    return AdmissionLane.allCases.map { ([$0.name], .integer(lanes[$0].map(value) ?? 0)) }
  }

  /// Notes the number of open connections.
  func setConnections(_ count: Int) { connections.add(count - connections.value(NoLabels()), NoLabels()) }

  /// Shows the figures of this ledger from now on, and of the work after its purges.
  func show(_ ledger: PurgeLedger, _ sweep: PurgeSweep? = nil) {
    self.ledger.withLock { $0 = ledger }
    self.sweep.withLock { $0 = sweep }
  }

  // MARK: Requests

  /// Counts a request that was answered.
  package func countRequest(_ status: Int, _ route: ServiceRoute, took duration: Duration) {
    requests.add(TwoLabels(StatusLabel(status), route))
    record(duration, in: .total)
  }

  /// Counts requests that the listener answered without the service.
  ///
  /// Those that found no connection free count as turned away as well: `crowded` of them because of their own address.
  func countRefusals(_ count: Int, _ status: Int, crowded: Int = 0) {
    guard count > 0 else { return }
    requests.add(count, TwoLabels(StatusLabel(status), .other))
    guard status == 503 else { return }
    let ofOneAddress = min(max(0, crowded), count)
    if ofOneAddress > 0 { rejections.add(ofOneAddress, OneLabel(.connectionsPerAddress)) }
    if ofOneAddress < count { rejections.add(count - ofOneAddress, OneLabel(.connections)) }
  }

  /// Records the time that was spent in a stage.
  package func record(_ duration: Duration, in stage: RequestStage) { seconds.record(duration, OneLabel(stage)) }

  /// Counts a request into a stage; ``leave(_:)`` must follow.
  package func enter(_ stage: RunningStage) { inFlight.add(OneLabel(stage)) }

  /// Counts a request out of a stage.
  package func leave(_ stage: RunningStage) { inFlight.add(-1, OneLabel(stage)) }

  /// Counts a request that was turned away.
  package func countRejection(_ reason: RejectionReason) { rejections.add(OneLabel(reason)) }

  /// Counts the bytes of a result that was sent.
  package func countResult(_ format: ImageFormat?, byteCount: Int) {
    resultBytes.add(max(0, byteCount), FormatLabel(format, formats))
  }

  // MARK: Loads

  /// Counts a lookup in a layer of the cache.
  package func countLookup(_ layer: CacheLayerLabel, _ result: CacheResult) { cache.add(TwoLabels(layer, result)) }

  /// Counts a load's part in shared work.
  package func countFlight(_ role: FlightRole, _ outcome: FlightOutcome) { flights.add(TwoLabels(role, outcome)) }

  /// Counts a call of the shared store.
  package func observe(_ event: TieredCache.SharedStoreEvent) {
    switch event {
    case .hit: countLookup(.shared, .hit)
    case .miss: countLookup(.shared, .miss)
    case .failed: countLookup(.shared, .error)
    case .opened: breaker.add(1, NoLabels())
    case .closed: breaker.add(-1, NoLabels())
    }
  }

  /// Counts a claim.
  package func countClaim(_ kind: FlightKey.Kind, _ result: ImageEvent.ClaimResult) {
    claims.add(TwoLabels(kind, result))
  }

  /// Counts the bytes of an original that was loaded.
  package func countSource(byteCount: Int) { sourceBytes.add(max(0, byteCount), NoLabels()) }

  /// Counts a failed load.
  package func countError(_ code: ImageError.Code) { errors.add(OneLabel(code)) }

  /// Counts a crash of a decoder.
  package func countCrash(_ crash: DecoderCrash) {
    crashes.add(FormatLabel(formats.card(ofCoder: crash.coder)?.format, formats))
  }
}

extension Locked where State == PurgeLedger? {
  fileprivate var figures: PurgeLedger.Figures? { withLock { $0 }?.figures }
}
