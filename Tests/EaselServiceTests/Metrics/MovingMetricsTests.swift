import EaselMemory
import EaselPNG
import EaselTestSupport
import EaselTransformers
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselObserving
@testable import EaselService
import EaselSupport
@testable import EaselTiers

/// A metric that nothing moves would be a lie: each one moves in a scripted set of requests.
struct MovingMetricsTests {
  /// Figures of a process and of its memory that are others at each reading.
  private final class MovingFigures: ProcessFigures {
    private let count = Locked(0)

    var next: Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
    var residentBytes: Int? { next }
    var processorSeconds: Double? { Double(next) }
    var childSeconds: Double? { Double(next) }
    var openDescriptors: Int? { next }
    var mostDescriptors: Int? { next }
    var startSeconds: Double? { Double(next) }
  }

  /// All values that each number has had.
  private struct Readings {
    private(set) var values: [MetricsChecker.Sample: Set<Double>] = [:]
    private(set) var names: [String] = []

    mutating func read(_ metrics: ServiceMetrics) throws {
      let read = try MetricsChecker(metrics.text())
      names = read.families.map(\.name)
      for family in read.families {
        for sample in family.samples {
          let number = MetricsChecker.Sample(name: family.name, labels: sample.labels, value: 0)
          // A histogram moves with its number of measurements.
          guard !sample.name.hasSuffix("_sum"), !sample.name.hasSuffix("_bucket") else { continue }
          values[number, default: []].insert(sample.value)
        }
      }
    }

    /// The values of a label, of numbers that have moved or, with false, of all.
    func labels(_ label: String, of name: String, moved: Bool) -> Set<String> {
      Set(values.filter { $0.key.name == name && (!moved || hasMoved($0)) }.compactMap { $0.key.labels[label] })
    }

    func hasMoved(_ name: String) -> Bool { values.contains { $0.key.name == name && hasMoved($0) } }

    /// True for a number that had two values, or that was left out while it was zero.
    private func hasMoved(_ number: (key: MetricsChecker.Sample, value: Set<Double>)) -> Bool {
      number.value.count > 1 || number.key.name == "easel_requests_total"
    }
  }

  /// Purges with a ledger that cannot be kept anywhere.
  private func purge(_ metrics: ServiceMetrics, _ readings: inout Readings) async throws {
    let clock = ManualClock()
    var settings = PurgeLedger.Configuration()
    (settings.directory, settings.clock, settings.patience) = ("/dev/null/purges", clock, .seconds(3600))
    let ledger = PurgeLedger(settings)
    metrics.show(ledger)
    _ = await ledger.moment()
    _ = await ledger.purge([.tag("x")])
    clock.advance(by: .seconds(5))
    try readings.read(metrics)
  }

  @Test func everyMetricMoves() async throws {
    let figures = MovingFigures()
    let coder = ToyCoder(isProgressive: false)
    let (disk, store, sharedClock) = (RecordingDiskStore(), InMemorySharedStore(), ManualClock())
    let admission = Locked<Admission?>(nil)
    let memory = WorkMemory(budget: 1_000_000_000)
    let metrics = ServiceMetrics(
      version: "1", formats: .tested, process: figures,
      memory: MemoryFigures(
        bytes: { _ in figures.next }, limit: { figures.next }, pressure: { memory.pressure },
        group: { ControlGroupMemory.Use(usedBytes: figures.next, limitBytes: figures.next) }),
      caches: CacheFigures(
        content: { _ in CacheFigures.Content(bytes: figures.next, entries: figures.next) },
        evictions: { figures.next })
    ) { admission.withLock { $0 }?.snapshot ?? AdmissionSnapshot() }
    let studio = ServiceStudio {
      var settings = TieredCache.SharedStoreSettings()
      settings.failuresToOpen = 1
      settings.observer = { metrics.observe($0) }
      $0.manager.coder = CoderRegistry([PNGCoder(), coder])
      $0.manager.cache = TieredCache(
        memory: LRUMemoryStore(), disk: disk, shared: store, sharedSettings: settings, clock: sharedClock,
        workers: .files)
      $0.manager.coordinator = InMemoryCoordinator(store: store, clock: sharedClock).node()
      $0.admission = AdmissionSettings(processors: 1)
      $0.admission.cheapTime = .zero
      $0.memory = memory
      $0.metrics = metrics
    }
    admission.withLock { $0 = studio.service.admission }
    let picture = ToyImage(width: 64, height: 48, seed: 7)
    func place(_ name: String) {
      studio.order(at: "/\(name)") {
        ($0.source, $0.format) = ("https://host/\(name)", .png)
        $0.pixels = .steps([.transform(.flip(horizontal: true))])
      }
      studio.loader.script(
        URL(string: "https://host/\(name)")!, .body(picture.bytes, metrics: LoadResult.Metrics(total: .milliseconds(5)))
      )
    }
    for name in ["a", "b", "c", "d"] { place(name) }
    var readings = Readings()
    try readings.read(metrics)

    // In each stage once.
    let source = URL(string: "https://host/a")!
    disk.suspend(.query)
    studio.loader.suspend(source)
    coder.decodeGate.close()
    let pass = try await studio.service.admission.enter(WorkCost(nanoseconds: 1_000_000_000))
    let first = Task { await studio.get("/a") }
    await disk.waitUntilSuspended(.query)
    await studio.observer.wait(for: "started", count: 1)
    try readings.read(metrics)
    disk.resume(.query)
    await studio.loader.waitForStart(of: source)
    await studio.observer.wait(for: "loading", count: 1)
    try readings.read(metrics)
    studio.loader.resume(source)
    while studio.service.admissionSnapshot.waiting == 0 { await Task.yield() }
    try readings.read(metrics)
    pass.leave()
    await coder.decodeGate.waitForWaiters()
    try readings.read(metrics)
    coder.decodeGate.open()
    #expect(await first.value.status == 200)
    metrics.beginSending()
    try readings.read(metrics)
    metrics.endSending(after: .milliseconds(1))

    // Each layer of the cache.
    #expect(studio.atOnce("/a")?.status == 200)
    disk.fail(.query, with: SystemError(code: 5))
    #expect(await studio.get("/b").status == 200)
    disk.fail(.query, with: nil)
    let broken = ImageError(.cacheFailed, "Broken.")
    for event in [TieredCache.SharedStoreEvent.hit, .failed(broken), .opened] { metrics.observe(event) }
    try readings.read(metrics)

    // Errors and refusals.
    studio.loader.script(
      URL(string: "https://host/c")!,
      .failure(ImageError(.decoderCrashed, "It crashed.", cause: DecoderCrash(of: "png"))))
    #expect(await studio.get("/c").status == 422)
    memory.pressure = .full
    #expect(await studio.get("/d").status == 503)
    try readings.read(metrics)
    memory.pressure = .none
    metrics.countRejection(.clientRate)
    for reason in AdmissionRefusal.Reason.allCases { metrics.countRejection(RejectionReason(reason)) }
    let endpoint = MetricsEndpoint(metrics) { .init([503: 2], crowded: 1, open: 3) }
    #expect(endpoint.immediateResponse(to: ServiceRequest(target: "/metrics"))?.status == 200)
    try readings.read(metrics)
    disk.seed(
      CacheEntry(bytes: ImageBytes([1]), record: CacheRecord(stored: studio.clock.date, generation: 1)),
      for: CacheKey(original: "https://host/old"))
    _ = await studio.service.purge([.sources(beginningWith: "https://host/")])
    await studio.service.sweep.waitForEnd()
    try readings.read(metrics)
    try await purge(metrics, &readings)

    await studio.observer.wait(for: "succeeded", count: 2)
    await studio.observer.wait(for: "failed", count: 1)
    #expect(readings.names.count > 20)
    for name in readings.names where name != "easel_build_info" {
      #expect(readings.hasMoved(name), "Nothing moves \(name).")
    }
    for (name, label) in [
      ("easel_request_seconds", "stage"), ("easel_in_flight", "stage"), ("easel_cache_total", "layer"),
      ("easel_cache_total", "result"), ("easel_rejected_total", "reason"), ("easel_memory_bytes", "part"),
    ] {
      let still = readings.labels(label, of: name, moved: false).subtracting(
        readings.labels(label, of: name, moved: true))
      #expect(still.isEmpty, "Nothing moves \(name) of \(still.sorted()).")
    }
    #expect(metrics.events.loadCount == 0)
  }
}
