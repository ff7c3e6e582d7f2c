import EaselCore
import EaselHTTP
import EaselSupport
import EaselWorkers

/// Decodes one body while it arrives, in steps on worker threads; each step uses the newest bytes.
///
/// The session only saves time: after any failure, the whole body is decoded again.
final class DecodeSession: Sendable {
  private struct State {
    var decoder: (any ProgressiveDecoder)?
    /// The options with which the decoder was created.
    var options: DecodeOptions
    var newest: ArrivingBody?
    var epoch: Int?
    var seen = 0
    var isWorking = false
    var isHopeless = false
    var isClosed = false
    var isWantedAgain = false
    /// The error of a step that was abandoned, because it did not return in time.
    var failure: ImageError?
    var lastPreview: Duration?
    var whenIdle: UnsafeContinuation<Void, Never>?

    mutating func beginWork() -> Bool {
      guard !isWorking, !isHopeless else { return false }
      isWorking = true
      return true
    }
  }

  private let coder: any ProgressiveImageCoder
  private let options: DecodeOptions
  private let plan: DecodePlan?
  private let work: WorkContext
  private let terms: JobTerms
  private let run: SharedRun
  private let workers: WorkerSet
  private let clock: any ImageClock
  private let previewInterval: Duration
  private let checks: PluginChecks
  /// Task-locals of the caller, because bytes arrive on threads of the loader, which do not have them.
  private let locals = CallerTaskLocals()
  private let state: Locked<State>

  init(
    coder: any ProgressiveImageCoder, options: DecodeOptions, plan: DecodePlan?, work: WorkContext, terms: JobTerms,
    run: SharedRun, configuration: ImageManager.Configuration
  ) {
    self.coder = coder
    self.options = options
    self.plan = plan
    self.work = work
    self.terms = terms
    self.run = run
    checks = PluginChecks(limits: work.limits)
    state = Locked(State(options: options))
    workers = configuration.workers
    clock = configuration.clock
    previewInterval = configuration.minimumPreviewInterval
  }

  /// Tells the session about new bytes; it never blocks.
  func bytesArrived(_ arrival: ArrivingBody) {
    let mustStart = state.withLock { state in
      // A session that joins late may receive older events after newer ones.
      guard !state.isClosed, state.failure == nil, arrival.epoch >= state.epoch ?? .min else { return false }
      if state.epoch != arrival.epoch {
        // The source sends the body again from the start, so everything decoded so far came from invalid bytes.
        state.epoch = arrival.epoch
        state.decoder = nil
        state.isHopeless = false
        state.seen = 0
      }
      state.newest = arrival
      return state.beginWork()
    }
    if mustStart { start() }
  }

  /// Makes another preview of the current bytes, for a caller that has joined late.
  func previewsAreWanted() {
    let mustStart = state.withLock { state in
      guard !state.isClosed, state.newest != nil else { return false }
      state.isWantedAgain = true
      return state.beginWork()
    }
    if mustStart { start() }
  }

  /// Decodes the rest of the body; returns nil when the body must be decoded as a whole.
  func finish(_ bytes: ImageBytes) async throws -> Image? {
    await close()
    let (decoder, options, failure) = state.withLock { ($0.isHopeless ? nil : $0.decoder, $0.options, $0.failure) }
    // Decoding the same bytes again would only hang another thread.
    if let failure { throw failure }
    guard let decoder else { return nil }
    return try await workers.run(at: run.priority, terms) { try? self.whole(decoder, options, bytes) }
  }

  /// Lets the decoder finish the body; returns nil when the decoder was created for another header.
  ///
  /// A header may continue after the pixels, so its first part may state less than the whole header.
  private func whole(
    _ decoder: any ProgressiveDecoder, _ options: DecodeOptions, _ bytes: ImageBytes
  ) throws -> Image? {
    let header = try checks.header(of: bytes, by: coder, work: work)
    if let plan, header.map(plan.isRight) != true { return nil }
    return try checks.checked(decoder.finish(bytes), of: header, options)
  }

  /// Stops taking bytes and waits for the running step.
  func close() async {
    await withUnsafeContinuation { continuation in
      let isIdle = state.withLock { state in
        state.isClosed = true
        if state.isWorking { state.whenIdle = continuation }
        return !state.isWorking
      }
      if isIdle { continuation.resume() }
    }
  }

  private func start() {
    workers.start(at: run.priority, terms, onFailure: giveUp) {
      self.locals.run { self.decodeUntilNothingIsNew() }
    }
  }

  /// Abandons a step that does not return; its later results are ignored.
  private func giveUp(_ failure: ImageError) {
    let whenIdle = state.withLock { state in
      state.failure = failure
      state.decoder = nil
      state.isHopeless = true
      state.isWorking = false
      defer { state.whenIdle = nil }
      return state.whenIdle
    }
    whenIdle?.resume()
  }

  private func decodeUntilNothingIsNew() {
    while let (arrival, epoch) = next() {
      do {
        try step(arrival.received.snapshot(), epoch)
      } catch {
        state.withLock { if $0.epoch == epoch { $0.isHopeless = true } }
      }
    }
  }

  /// Takes the newest bytes if they are not decoded yet; otherwise the session becomes idle.
  private func next() -> (ArrivingBody, Int)? {
    let (next, whenIdle) = state.withLock { state -> ((ArrivingBody, Int)?, UnsafeContinuation<Void, Never>?) in
      if !state.isClosed, !state.isHopeless, let newest = state.newest,
        state.isWantedAgain || newest.received.count > state.seen
      {
        state.isWantedAgain = false
        state.seen = newest.received.count
        return ((newest, newest.epoch), nil)
      }
      state.isWorking = false
      defer { state.whenIdle = nil }
      return (nil, state.whenIdle)
    }
    whenIdle?.resume()
    return next
  }

  private func step(_ bytes: ImageBytes, _ epoch: Int) throws {
    guard let decoder = try decoder(for: bytes, epoch) else { return }
    try decoder.update(bytes)
    guard run.wish.wantsPreviews, mayPreview(), let made = try decoder.preview() else { return }
    let header = try checks.header(of: bytes, by: coder, work: work)
    guard var image = checks.checked(preview: made, of: header, state.withLock { $0.options }) else { return }
    image.traits.insert(.partial)
    let now = clock.uptime
    let isCurrent = state.withLock { state in
      state.lastPreview = now
      return state.epoch == epoch && !state.isClosed && state.failure == nil
    }
    if isCurrent { run.emit(.preview(image)) }
  }

  private func decoder(for bytes: ImageBytes, _ epoch: Int) throws -> (any ProgressiveDecoder)? {
    if let known = state.withLock({ $0.decoder }) { return known }
    let prefix = try bytes.prefix(CoderRegistry.sniffLength)
    let isKnown = prefix.count >= CoderRegistry.shortSniffLength && coder.canDecode(prefix: prefix)
    guard isKnown || prefix.count == CoderRegistry.sniffLength else { return nil }
    var work = work
    work.response = state.withLock { $0.newest?.head }
    let first = try coder.makeDecoder(prefix: prefix, options: options, work: work)
    // The header may be incomplete, and later bytes may complete it. If the bytes are decoded as a whole, it is not read
    // here, because a sandbox makes a process for that.
    guard let options = try first == nil ? options : optionsToBegin(bytes) else { return nil }
    let made = try options == self.options ? first : coder.makeDecoder(prefix: prefix, options: options, work: work)
    return state.withLock { state in
      guard state.epoch == epoch, state.failure == nil else { return nil }
      state.decoder = made
      state.options = options
      if made == nil { state.isHopeless = true }
      return made
    }
  }

  /// The options to begin with; nil while the plan still needs the header.
  private func optionsToBegin(_ bytes: ImageBytes) throws -> DecodeOptions? {
    guard let plan else { return options }
    return try checks.header(of: bytes, by: coder, work: work).map(plan.options)
  }

  private func mayPreview() -> Bool {
    state.withLock { [now = clock.uptime] in $0.lastPreview.map { now - $0 >= previewInterval } ?? true }
  }
}
