import EaselCore
import EaselSupport
import FoundationEssentials

/// The rules of every loader, checked with URLs whose bodies are known.
public struct ImageLoaderContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The loader accepts its own URLs and no others.
    case takesItsOwnURLs
    /// The origin of a URL is the same each time.
    case originIsStable
    /// The body arrives complete and in order.
    case bodyIsWhole
    /// The head comes once, before the first byte.
    case headComesFirst
    /// No byte comes before the sink has accepted the head.
    case waitsForTheHead
    /// If the sink refuses the head, the load ends with the sink's error.
    case refusedHeadEndsTheLoad
    /// No byte comes while the sink pauses.
    case obeysPause
    /// After the sink stops the load, it gets no more bytes, and the load does not succeed.
    case obeysStop
    /// A cancelled load ends soon, with an error.
    case cancelledLoadEnds
    /// A load whose task was cancelled before delivers nothing.
    case cancelledLoadGivesNothing
    /// The sink is never called after the load has returned.
    case silentAfterReturn
    /// Simultaneous loads do not affect each other.
    case loadsAreApart
    /// A URL that cannot be loaded gives an error of the loader.
    case failureIsAnError
    /// The length that the head announces is the length of the body.
    case lengthIsTrue
    /// A restart goes back to an offset within the bytes delivered so far.
    case restartsWithin
    /// Every call returns.
    case ends
  }

  /// A URL and the bytes behind it.
  public struct Sample: Sendable {
    /// The URL.
    public let url: URL
    /// The bytes.
    public let body: [UInt8]

    /// Pairs a URL with the body that its loader must give.
    public init(_ url: URL, body: [UInt8]) {
      self.url = url
      self.body = body
    }
  }

  private let loader: any ImageLoader
  private let samples: [Sample]
  private let foreignURL: URL
  private let failingURL: URL?
  private let patience: Duration

  /// Creates the suite: the loader must not accept `foreignURL`, and it must accept `failingURL` but fail to load it.
  ///
  /// The load of `failingURL` must fail in the loader, as with a server that refuses the connection or a file that does
  /// not exist. A response of the status 404 is no such failure: a loader delivers it, and the manager refuses it.
  public init(
    _ loader: any ImageLoader, samples: [Sample], foreignURL: URL = URL(string: "foreign-scheme:nothing")!,
    failingURL: URL? = nil, patience: Duration = .ofContracts
  ) {
    self.loader = loader
    self.samples = samples
    self.foreignURL = foreignURL
    self.failingURL = failingURL
    self.patience = patience
  }

  /// Returns the rules that the loader breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let log = Log(findings: findings)
    await Steps(findings, .ends, patience: patience).onThread("Looking at URLs") { checkURLs(findings) }
    for sample in samples {
      for check in [checkBody, checkHead, checkPause, checkStop, checkCancellation] where !log.isStuck {
        await check(sample, log)
      }
    }
    if !log.isStuck {
      await checkMany(log)
      await checkFailure(log)
    }
    let late = log.sinks.reduce(0) { $0 + $1.callsAfterClose }
    findings.require(late == 0, .silentAfterReturn, "There were \(late) calls after a load had returned.")
    for sink in log.sinks { checkRestarts(sink, findings) }
    return findings.violations
  }

  /// The results of the suite's loads.
  private final class Log: Sendable {
    let findings: Findings<Rule>
    private let all = Locked<[RecordingSink]>([])

    init(findings: Findings<Rule>) { self.findings = findings }

    var sinks: [RecordingSink] { all.withLock { $0 } }

    /// True when a load never returned; another load would only wait as long.
    var isStuck: Bool { findings.violations.contains { $0.rule == Rule.ends.rawValue } }

    func add(_ sink: RecordingSink) { all.withLock { $0.append(sink) } }
  }

  private func checkRestarts(_ sink: RecordingSink, _ findings: Findings<Rule>) {
    var count = 0
    for event in sink.events {
      switch event {
      case .head: break
      case .bytes(let more): count += more
      case .restart(let offset):
        findings.require(
          (0...count).contains(offset), .restartsWithin, "It starts again at \(offset) after \(count) bytes.")
        count = min(max(0, offset), count)
      }
    }
  }

  private func checkURLs(_ findings: Findings<Rule>) {
    findings.require(!loader.canLoad(foreignURL), .takesItsOwnURLs, "It takes \(foreignURL).")
    for sample in samples {
      findings.require(loader.canLoad(sample.url), .takesItsOwnURLs, "It does not take \(sample.url).")
      let origin = loader.origin(of: sample.url)
      findings.require(
        origin == loader.origin(of: sample.url), .originIsStable, "\(sample.url) has another name the second time.")
      findings.require(!origin.key.isEmpty, .originIsStable, "\(sample.url) has an empty name.")
    }
  }

  /// The end of a load; bytes that were ready are combined with those of the sink.
  private enum Outcome: Sendable {
    case body([UInt8], wentThroughSink: Bool, announced: Int? = nil)
    case failure(any Error)
    case endless
  }

  private func load(_ url: URL, into sink: RecordingSink, _ log: Log) async -> Outcome {
    log.add(sink)
    let isCancelled = Task.isCancelled
    let loading = Task(executorPreference: SpareThreads.shared) { () throws -> Outcome in
      defer { sink.close() }
      // The task would begin before the handler below could cancel it.
      if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      switch try await loader.load(LoadRequest(url: url), into: sink) {
      case .body, .image, .notModified:
        return .body(sink.body, wentThroughSink: true, announced: sink.head?.expectedLength)
      case .bytes(let bytes, let head):
        let body = try bytes.withUnsafeBytes { [UInt8]($0) }
        return .body(body, wentThroughSink: false, announced: head.expectedLength)
      }
    }
    return await withTaskCancellationHandler {
      guard let result = await Waiting.atMost(patience, { await loading.result }) else {
        loading.cancel()
        log.findings.add(.ends, "A load of \(url) had not ended after \(patience).")
        return .endless
      }
      switch result {
      case .success(let outcome): return outcome
      case .failure(let error): return .failure(error)
      }
    } onCancel: {
      loading.cancel()
    }
  }

  private func checkBody(_ sample: Sample, _ log: Log) async {
    let findings = log.findings
    for takesHeadAtOnce in [true, false] {
      let sink = RecordingSink(takesHeadAtOnce: takesHeadAtOnce)
      switch await load(sample.url, into: sink, log) {
      case .body(let body, let wentThroughSink, let announced):
        findings.require(
          announced == nil || announced == body.count, .lengthIsTrue,
          "\(sample.url) announced \(announced ?? 0) bytes and gave \(body.count).")
        findings.require(
          body == sample.body, .bodyIsWhole, "\(sample.url) gave \(body.count) of \(sample.body.count) bytes.")
        guard wentThroughSink else { continue }
        let heads = sink.events.count { if case .head = $0 { true } else { false } }
        let isFirst = if case .head? = sink.events.first { true } else { false }
        findings.require(heads == 1 && isFirst, .headComesFirst, "\(sample.url) gave \(sink.events.prefix(5)).")
      case .failure(let error): findings.add(.bodyIsWhole, "\(sample.url) failed: \(error)")
      case .endless: findings.add(.bodyIsWhole, "\(sample.url) did not end.")
      }
    }
  }

  private func checkHead(_ sample: Sample, _ log: Log) async {
    let findings = log.findings
    let refusal = ImageError(.badStatus, "The sink refuses.")
    let refusing = RecordingSink(headFailure: refusal)
    switch await load(sample.url, into: refusing, log) {
    case .body(_, wentThroughSink: true, _), .endless:
      findings.add(.refusedHeadEndsTheLoad, "\(sample.url) was loaded all the same.")
    case .failure(let error):
      let isRefusal = (error as? ImageError)?.message == refusal.message
      findings.require(isRefusal, .refusedHeadEndsTheLoad, "\(sample.url) ended with \(error).")
    case .body(_, wentThroughSink: false, _): break
    }
    let waiting = RecordingSink()
    waiting.headGate.close()
    let loading = Task { await load(sample.url, into: waiting, log) }
    _ = await isHeldUp(by: waiting, loading)
    waiting.headGate.open()
    _ = await loading.value
    let early = waiting.events.prefix { if case .head = $0 { false } else { true } }
    findings.require(
      early.isEmpty, .waitsForTheHead, "\(sample.url) gave \(early.prefix(3)) before its head was taken.")
  }

  private static let pauses = 3

  private func checkPause(_ sample: Sample, _ log: Log) async {
    let findings = log.findings
    let sink = RecordingSink(pausesAfterEachChunk: true)
    let loading = Task { await load(sample.url, into: sink, log) }
    let resuming = Task {
      // A body in thousands of pieces would take thousands of turns on a busy machine and show nothing more.
      for _ in 0..<Self.pauses {
        await sink.waitUntilPaused()
        sink.resume()
      }
      sink.resumeForGood()
    }
    let outcome = await loading.value
    resuming.cancel()
    findings.require(
      sink.bytesWhilePaused == 0, .obeysPause, "\(sample.url) gave \(sink.bytesWhilePaused) bytes in a pause.")
    if case .body(let body, _, _) = outcome {
      findings.require(body == sample.body, .obeysPause, "\(sample.url) with pauses gave \(body.count) bytes.")
    } else {
      findings.add(.obeysPause, "\(sample.url) with pauses ended with \(outcome).")
    }
  }

  private func checkStop(_ sample: Sample, _ log: Log) async {
    let findings = log.findings
    guard !sample.body.isEmpty else { return }
    let sink = RecordingSink(stopsAfter: 1)
    let outcome = await load(sample.url, into: sink, log)
    if case .body(_, wentThroughSink: false, _) = outcome { return }
    let appends = sink.events.count { if case .bytes = $0 { true } else { false } }
    findings.require(appends <= 1, .obeysStop, "\(sample.url) went on after it was told to stop.")
    if case .failure = outcome { return }
    findings.add(.obeysStop, "\(sample.url) ended with \(outcome) after it was told to stop.")
  }

  private func checkCancellation(_ sample: Sample, _ log: Log) async {
    let findings = log.findings
    // A sink that blocks the head delays every load that uses it.
    let sink = RecordingSink()
    sink.headGate.close()
    let loading = Task { await load(sample.url, into: sink, log) }
    let isWaiting = await isHeldUp(by: sink, loading)
    loading.cancel()
    let outcome = await Waiting.atMost(patience) { await loading.value } ?? .endless
    sink.headGate.open()
    if isWaiting {
      if case .failure(let error) = outcome {
        let isCancellation = (error as? ImageError)?.isCancellation ?? (error is CancellationError)
        findings.require(isCancellation, .cancelledLoadEnds, "\(sample.url) ended with \(error).")
      } else {
        findings.add(.cancelledLoadEnds, "\(sample.url) ended with \(outcome) when it was cancelled.")
      }
    }

    let early = RecordingSink()
    let never = Task {
      try? await AsyncGate().pass()
      return await load(sample.url, into: early, log)
    }
    never.cancel()
    if case .body = await never.value {
      findings.add(.cancelledLoadGivesNothing, "\(sample.url) was loaded for a cancelled task.")
    }
    findings.require(early.body.isEmpty, .cancelledLoadGivesNothing, "\(sample.url) gave bytes to a cancelled task.")
  }

  /// True when a load waits for the sink to accept the head; false when it ended without asking.
  private func isHeldUp(by sink: RecordingSink, _ loading: Task<Outcome, Never>) async -> Bool {
    await Waiting.first(
      {
        await sink.headGate.waitForWaiters()
        return true
      },
      {
        _ = await loading.value
        return false
      })
  }

  private func checkMany(_ log: Log) async {
    let findings = log.findings
    for sample in samples {
      let both = [RecordingSink(), RecordingSink()]
      for sink in both { sink.headGate.close() }
      let loads = both.map { sink in Task { await load(sample.url, into: sink, log) } }
      // Both loads are in progress before either continues.
      for (sink, loading) in zip(both, loads) { _ = await isHeldUp(by: sink, loading) }
      for sink in both { sink.headGate.open() }
      for loading in loads {
        guard case .body(let body, _, _) = await loading.value, body == sample.body else {
          findings.add(.loadsAreApart, "\(sample.url) fails beside another load.")
          continue
        }
      }
    }
  }

  private func checkFailure(_ log: Log) async {
    let findings = log.findings
    guard let failingURL else { return }
    let isTaken = await Steps(findings, .ends, patience: patience).onThread("Looking at \(failingURL)") {
      loader.canLoad(failingURL)
    }
    findings.require(
      isTaken ?? true, .failureIsAnError, "It does not take \(failingURL), so the manager would not ask it.")
    let sink = RecordingSink()
    switch await load(failingURL, into: sink, log) {
    case .body:
      let status = sink.head?.status.map { " with status \($0)" } ?? ""
      findings.add(
        .failureIsAnError,
        "\(failingURL) was loaded\(status). Give a URL that fails in the loader; statuses are for the manager to judge."
      )
    case .endless: findings.add(.failureIsAnError, "\(failingURL) did not end.")
    case .failure(let error):
      let isCancellation = (error as? ImageError)?.isCancellation ?? (error is CancellationError)
      findings.require(
        !isCancellation, .failureIsAnError, "\(failingURL) ended with \(error), though nobody cancelled the load.")
    }
  }
}
