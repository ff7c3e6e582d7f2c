/// Decodes one body while it arrives, a step at a time on worker threads, always from the newest bytes.
///
/// It is only a head start: whatever goes wrong in it, the whole body is decoded anew.
final class DecodeSession: Sendable {
  private struct State {
    var decoder: (any ProgressiveDecoder)?
    /// The options that the decoder was made with.
    var options: DecodeOptions
    var newest: Arrival?
    var epoch: Int?
    var seen = 0
    var isWorking = false
    var isHopeless = false
    var isClosed = false
    var isWantedAgain = false
    /// Why nobody waits for the step that runs, since it does not return.
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

  /// Notes that there is more to look at; it never blocks.
  func bytesArrived(_ arrival: Arrival) {
    let mustStart = state.withLock { state in
      // Who joins late may be told of the past after the present.
      guard !state.isClosed, state.failure == nil, arrival.epoch >= state.epoch ?? .min else { return false }
      if state.epoch != arrival.epoch {
        // The source started again: what was decoded so far is of bytes that no longer count.
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

  /// Looks once more at what is there, for someone who came late and wants to see it.
  func previewsAreWanted() {
    let mustStart = state.withLock { state in
      guard !state.isClosed, state.newest != nil else { return false }
      state.isWantedAgain = true
      return state.beginWork()
    }
    if mustStart { start() }
  }

  /// The picture of the whole body, or nil when it must be decoded in one go.
  func finish(_ bytes: ImageBytes) async throws -> Image? {
    await close()
    let (decoder, options, failure) = state.withLock { ($0.isHopeless ? nil : $0.decoder, $0.options, $0.failure) }
    // Another thread would hang over the same bytes.
    if let failure { throw failure }
    guard let decoder else { return nil }
    return try await workers.run(at: run.priority, terms) { try? self.whole(decoder, options, bytes) }
  }

  /// The picture that the decoder makes of all bytes, unless it was begun for another one.
  ///
  /// A header may go on after the pixels, and then the first part of it said less than the whole does.
  private func whole(
    _ decoder: any ProgressiveDecoder, _ options: DecodeOptions, _ bytes: ImageBytes
  ) throws -> Image? {
    let header = try checks.header(of: bytes, by: coder, work: work)
    if let plan, header.map(plan.isRight) != true { return nil }
    return try checks.checked(decoder.finish(bytes), of: header, options)
  }

  /// Takes nothing any more and waits for the step that runs.
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
    workers.start(at: run.priority, terms, onFailure: giveUp) { self.lookUntilNothingIsNew() }
  }

  /// Waits no longer for a step that does not return; what it still does changes nothing.
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

  private func lookUntilNothingIsNew() {
    while let (arrival, epoch) = next() {
      do {
        try step(arrival.received.snapshot(), epoch)
      } catch {
        state.withLock { if $0.epoch == epoch { $0.isHopeless = true } }
      }
    }
  }

  /// The newest bytes if nobody looked at them yet; otherwise the session rests.
  private func next() -> (Arrival, Int)? {
    let (next, whenIdle) = state.withLock { state -> ((Arrival, Int)?, UnsafeContinuation<Void, Never>?) in
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
    guard bytes.count >= CoderRegistry.sniffLength else { return nil }
    let prefix = try bytes.prefix(CoderRegistry.sniffLength)
    // What cannot be read of the header yet may be there with the next bytes.
    guard let options = try optionsToBegin(bytes) else { return nil }
    var work = work
    work.response = state.withLock { $0.newest?.head }
    let made = try coder.makeDecoder(prefix: prefix, options: options, work: work)
    return state.withLock { state in
      guard state.epoch == epoch, state.failure == nil else { return nil }
      state.decoder = made
      state.options = options
      if made == nil { state.isHopeless = true }
      return made
    }
  }

  /// The options to begin with, nil while a plan waits for the header.
  private func optionsToBegin(_ bytes: ImageBytes) throws -> DecodeOptions? {
    guard let plan else { return options }
    return try checks.header(of: bytes, by: coder, work: work).map(plan.options)
  }

  private func mayPreview() -> Bool {
    let now = clock.uptime
    return state.withLock { state in state.lastPreview.map { now - $0 >= previewInterval } ?? true }
  }
}

/// The first transformer of a load and the decode that suffices for it, chosen from the picture's header.
///
/// A resize to a quarter needs no full picture: a coder that can decode at a smaller scale is told so.
final class DecodePlan: Transformer {
  /// All that a plan follows from.
  private struct Basis: Equatable {
    let size: PixelSize
    let moves: Bool
  }

  private let first: any PlannableTransformer
  private let request: ResolvedRequest
  private let chosen = Locked<(basis: Basis?, plan: TransformerPlan?)>((nil, nil))

  /// Nil where the transformer needs every pixel, or where the size of the decode was asked for by name.
  init?(_ first: any Transformer, _ request: ResolvedRequest) {
    guard let first = first as? any PlannableTransformer, !request.decodeOptions.makesSmaller else { return nil }
    self.first = first
    self.request = request
  }

  var cacheKey: String { first.cacheKey }

  /// Whether a picture of this size is to be decoded in full.
  func needsEveryPixel(of size: PixelSize) -> Bool { PluginChecks.plan(of: first, for: size) == nil }

  /// The options to decode a picture with this header with; without one it is decoded in full.
  func options(for header: ImageHeader?) -> DecodeOptions {
    var options = request.decodeOptions
    let basis = header.map(basis)
    // Frames are made at their full size, and so must be what stands for them.
    let plan = basis.flatMap { $0.moves ? nil : PluginChecks.plan(of: first, for: $0.size) }
    chosen.withLock { $0 = (basis, plan) }
    options.leastSize = plan?.leastSize
    return options
  }

  /// Whether the plan that was chosen from the first part of a body is the one for the whole: what turns a picture on
  /// its side, or makes it move, may come last.
  func isRight(for header: ImageHeader) -> Bool { chosen.withLock { $0.basis } == basis(header) }

  private func basis(_ header: ImageHeader) -> Basis {
    Basis(
      size: request.decodeOptions.targetSize(for: header),
      moves: header.frameCount > 1 && !request.decodeOptions.firstFrameOnly)
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let planned = chosen.withLock { $0.plan?.transformer }
    return try (planned ?? first).transform(image, work: work)
  }
}

extension DecodePlan: Hashable {
  static func == (left: DecodePlan, right: DecodePlan) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
