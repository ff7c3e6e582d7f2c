import EaselCore
import EaselFormats
import EaselManager
import EaselObserving
import EaselSupport
import EaselTiers
import FoundationEssentials

/// A picture server as a function: the head of a request goes in, the head and the bytes of a response come out.
///
/// It has no socket. A server of any framework passes its requests to ``response(to:)``.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), signer: nil)
/// settings.sources = try SourceRules(allowing: ["https://example.com/pictures"])
/// let service = ImageService(settings)
/// let path = "/unsafe/rs:fit:320:320/plain/https://example.com/pictures/cat.jpg"
/// let answer = await service.response(to: ServiceRequest(target: path))
/// ```
public final class ImageService: RequestHandler {
  let settings: ServiceSettings
  let prepared = PreparedImages()
  let manager: ImageManager
  let clock: any ImageClock
  package let metrics: ServiceMetrics
  let admission: Admission
  let memory: WorkMemory
  private let isDraining = Locked(false)
  let backgroundEncodings: BackgroundEncodings
  let slowPictures: SlowImages
  let refused: RefusedSources
  private let rates: ClientRates?
  let parts: RecentPartialImages
  let sweep: PurgeSweep
  let oversized = OversizedFormats()

  /// Makes a service that answers requests by this configuration.
  public init(_ configuration: Configuration) {
    var configuration = configuration
    // A decoder that ends with its request, and not before, tells nothing about the source.
    configuration.manager.limits.decodeTime = min(
      configuration.manager.limits.decodeTime, configuration.requestTime / 2)
    settings = ServiceSettings(configuration)
    clock = configuration.manager.clock
    backgroundEncodings = BackgroundEncodings(clock: clock)
    slowPictures = SlowImages(clock: clock)
    refused = RefusedSources(clock: clock)
    rates = configuration.clientRate.map { ClientRates($0) }
    parts = RecentPartialImages(time: .seconds(configuration.cacheLifetime.partTimeToLive), clock: clock)
    let admission = configuration.queue ?? Admission(configuration.admission, clock: clock)
    self.admission = admission
    let formats = FormatCards(configuration.manager.coder)
    metrics =
      configuration.metrics
      ?? ServiceMetrics(version: configuration.version, formats: formats, clock: clock) { admission.snapshot }
    memory = configuration.memory ?? WorkMemory()
    let gate = MemoryGate(
      memory: memory, metrics: metrics, formats: formats,
      next: AdmissionGate(
        admission: admission, metrics: metrics, time: configuration.requestTime, clock: clock, formats: formats))
    manager = ImageManager(configuration.forManager(gate, metrics))
    let caches = [manager.configuration.cache, manager.configuration.originalCache].compactMap { $0 }
    sweep = PurgeSweep(caches, clock: clock) { [settings] in settings.isPurged($0, $1) }
    metrics.show(configuration.purges, sweep)
    configuration.purges.whenPurged { [weak sweep] in sweep?.begin() }
    configuration.purges.start()
  }

  package var purges: PurgeLedger { settings.values.purges }

  /// The counts of the queue for work on pixels.
  package var admissionSnapshot: AdmissionSnapshot { admission.snapshot }

  /// The beginning of all paths that the service answers, without a slash at its end.
  public var pathPrefix: String { settings.values.pathPrefix }

  /// All metrics in the text form of Prometheus.
  public var metricsText: String { metrics.text() }

  /// Makes `/ready` answer 503, so that a balancer sends no more requests; others are still answered.
  public func beginDraining() { isDraining.withLock { $0 = true } }

  /// Ends the work of the service when the server has answered its last request: what is being stored gets stored.
  ///
  /// It returns at the limit at the latest; later requests fail.
  public func close(within limit: Duration = .seconds(10)) async { await manager.close(within: limit) }

  /// The answer if it needs no waiting: a picture in memory, a validator that still holds, an error in the URL.
  public func immediateResponse(to request: ServiceRequest) -> ServiceResponse? {
    let arrival = clock.uptime
    let exchange = ServiceExchange(request, settings)
    let span = exchange.span()
    return known(exchange).map { note($0, exchange, since: arrival, in: span) }
  }

  /// The answer to a request.
  ///
  /// A task that is cancelled, because the client has left, gives up its part in the work.
  ///
  /// ```swift
  /// let service = ImageService(ImageService.Configuration(.standard(), signer: nil))
  /// let path = "/unsafe/rs:fit:320:320/plain/https://example.com/cat.jpg"
  /// let answer = await service.response(to: ServiceRequest(target: path, headers: ["Accept": "image/webp"]))
  /// print(answer.status, answer.headers["Content-Type"] ?? "")
  /// ```
  public func response(to request: ServiceRequest) async -> ServiceResponse {
    let arrival = clock.uptime
    let exchange = ServiceExchange(request, settings)
    let span = exchange.span()
    if let known = known(exchange) { return note(known, exchange, since: arrival, in: span) }
    metrics.enter(.total)
    defer { metrics.leave(.total) }
    guard let span else { return await note(made(exchange), exchange, since: arrival, in: nil) }
    let answer = await TraceContext.$current.withValue(span.context) { await made(exchange) }
    return note(answer, exchange, since: arrival, in: span)
  }

  private func known(_ exchange: ServiceExchange) -> ServiceResponse? {
    do throws(ServiceError) {
      switch try exchange.route() {
      case .playground(let playground, let route): return try exchange.response(playground, route)
      case .text(let text): return exchange.response(text: text)
      case .health: return health(exchange, isReadiness: false)
      case .readiness: return health(exchange, isReadiness: true)
      case .options: return exchange.preflight()
      case .purge: return nil
      case .picture(let place):
        try checkRate(of: exchange.request)
        // Without it, the caches cannot be relied on before somebody has waited.
        guard let version = purges.version else { return nil }
        // Both only grow, and so does their sum with each change of one.
        return try inMemory(place, exchange, version &+ settings.learnedTags.version)
      }
    } catch {
      // With a fallback picture, the answer to an error is not known yet.
      guard !error.mayHaveFallback || settings.values.fallbackSource == nil else { return nil }
      return exchange.response(error, at: clock.date)
    }
  }

  private func inMemory(
    _ place: MountedAddress, _ exchange: ServiceExchange, _ version: UInt64
  ) throws(ServiceError) -> ServiceResponse? {
    let (now, began, key) = (clock.date, clock.uptime, PreparedImages.key(of: exchange, place.target))
    let picture: PreparedImage
    var isNew = false
    if let known = key.flatMap({ prepared[$0] }), known.isCurrent(version, by: settings) {
      try known.wanted.checkExpiry(at: now)
      picture = known
    } else {
      var wanted = try WantedImage(place, exchange, now)
      if case .redirect(let path) = wanted.order.answer { return exchange.redirect(to: path, from: wanted) }
      if wanted.order.completion != nil {
        guard let size = settings.sizes[wanted.url] else { return nil }
        do throws(ServiceError) { wanted = try wanted.completed(size) } catch { throw error.about(wanted.order) }
      }
      do throws(ServiceError) {
        guard let plan = try wanted.planWithoutWatermark(), wanted.order.answer == .picture else { return nil }
        (picture, isNew) = (PreparedImage(wanted, plan, purges: version), true)
      } catch {
        throw error.about(wanted.order)
      }
    }
    guard
      let found = manager.cachedEncoded(
        for: picture.plan.request, as: fitting(picture.plan.recipe, picture.plan.request, picture.wanted))
    else {
      return inMemoryMeanwhile(picture, exchange, now, since: began)
    }
    // Only addresses whose pictures exist are kept, so that nobody can fill the table with others.
    if isNew, let key { prepared.insert(picture, for: key) }
    let answer = picture.response(with: found, to: exchange, at: now)
    guard !isPurged(answer) else { return nil }
    noteHit(since: began)
    return answer
  }

  /// True if a tag of the source was purged after the source had been asked for what an answer has.
  ///
  /// The tags of the source are known from then on, so that they count for its keys.
  private func isPurged(_ answer: ServiceResponse) -> Bool {
    let tags = answer.details.tags
    guard !tags.names.isEmpty, let url = answer.details.taggedSource,
      purges.hasPurged(tags.names, since: tags.newestPurge)
    else { return false }
    settings.learnedTags.insert(tags.names, for: PurgeMarks.name(of: url))
    return true
  }

  /// The other form that goes out as long as the best one is not made.
  private func inMemoryMeanwhile(
    _ picture: PreparedImage, _ exchange: ServiceExchange, _ now: Date, since began: Duration
  ) -> ServiceResponse? {
    guard let meanwhile = picture.plan.meanwhile,
      let found = manager.cachedEncoded(for: picture.plan.request, as: meanwhile)
    else { return nil }
    let answer = answer(with: found, meanwhile: picture.plan, picture.wanted, exchange, now)
    guard !isPurged(answer) else { return nil }
    noteHit(since: began)
    return answer
  }

  /// Throws if the client sends too many requests.
  ///
  /// Each request counts once, whether it waits or not. Those of unknown clients have no limit.
  private func checkRate(of request: ServiceRequest) throws(ServiceError) {
    guard let rates, !request.isCounted else { return }
    let client = settings.rateClient(of: request)
    guard client != .nobody, let wait = rates.take(by: client, at: clock.uptime) else { return }
    metrics.countRejection(.clientRate)
    throw ServiceError(
      429, "This client sends more requests than the server takes from one. Send this one again later.",
      retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
  }

  /// Counts what memory had; the manager tells observers of loads only, and this is none.
  private func noteHit(since began: Duration) {
    metrics.countLookup(.memory, .hit)
    metrics.record(clock.uptime - began, in: .lookup)
  }

  private func made(_ exchange: ServiceExchange) async -> ServiceResponse {
    do throws(ServiceError) {
      let route = try exchange.route()
      if case .purge = route { return try await purge(exchange) }
      guard case .picture(let place) = route else { throw ServiceError(500, "The server failed.") }
      try checkMemory()
      let deadline = clock.uptime + settings.values.requestTime
      let moment = await purges.moment()
      return try await withDeadline { () async throws(ServiceError) in
        var wanted = try WantedImage(place, exchange, self.clock.date)
        wanted.deadline = deadline
        wanted.client = self.settings.client(of: exchange.request)
        if case .cutOff(let time) = moment { wanted.cutOff = time }
        return try await self.answer(wanted, exchange)
      }
    } catch {
      return exchange.response(error, at: clock.date)
    }
  }

  /// Counts and logs an answer.
  private func note(
    _ response: ServiceResponse, _ exchange: ServiceExchange, since arrival: Duration, in span: OTLPTraces.RequestSpan?
  ) -> ServiceResponse {
    let (details, duration) = (response.details, clock.uptime - arrival)
    if let span { exchange.end(span, response) }
    var response = response
    if settings.values.playground != nil {
      response.headers["Server-Timing"] = "total;dur=\((duration / .milliseconds(1) * 100).rounded() / 100)"
    }
    metrics.countRequest(response.status, details.route, took: duration)
    let byteCount = response.body.reduce(0) { $0 + $1.count }
    if response.status == 200 { metrics.countResult(details.format, byteCount: byteCount) }
    if let log = settings.values.log {
      let request = exchange.request
      log.write(
        RequestLogEntry(
          date: clock.date, id: exchange.id, remoteAddress: request.clientAddress, method: request.method,
          target: String(request.target.dropFirst(settings.values.pathPrefix.count)), route: details.route,
          status: response.status, byteCount: byteCount, duration: duration, cache: details.cache,
          source: details.source, error: details.error))
    }
    return response
  }

  private func health(_ exchange: ServiceExchange, isReadiness: Bool) -> ServiceResponse {
    let isReady = !isReadiness || !isDraining.withLock { $0 }
    let text = cutOffNotice.map { "ok, but \($0)" } ?? "ok"
    return exchange.response(
      text: isReady ? text : "draining", status: isReady ? 200 : 503, for: isReadiness ? .ready : .health)
  }

  // MARK: Pictures

  private func answer(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse
  {
    let answer = try await answerOnce(wanted, exchange)
    // Now that the tags of the source are known, the keys are others. Whoever purges again does so after this request.
    return isPurged(answer) ? try await answerOnce(wanted, exchange) : answer
  }

  private func answerOnce(
    _ wanted: WantedImage, _ exchange: ServiceExchange
  ) async throws(ServiceError) -> ServiceResponse {
    do throws(ServiceError) {
      return try await completed(wanted) { wanted async throws(ServiceError) in
        switch wanted.order.answer {
        case .picture: return try await self.picture(wanted, exchange)
        case .original: return try await self.original(wanted, exchange)
        case .info: return try await self.info(wanted, exchange)
        case .document: return try await self.document(wanted, exchange)
        case .redirect(let path): return exchange.redirect(to: path, from: wanted)
        }
      }
    } catch {
      let failure = error.about(wanted.order)
      if error.mayHaveFallback, wanted.order.redirectsOnFailure, ["http", "https"].contains(wanted.url.scheme) {
        return exchange.redirect(to: wanted.url.absoluteString, status: 302)
      }
      guard error.mayHaveFallback, let source = wanted.order.fallbackSource ?? settings.values.fallbackSource,
        let fallback = try? await self.fallback(source, wanted, exchange)
      else { throw failure }
      return fallback
    }
  }

  private func picture(_ wanted: WantedImage, _ exchange: ServiceExchange) async throws(ServiceError) -> ServiceResponse
  {
    if wanted.order.format == .drawing { return try await drawing(wanted, exchange) }
    if let untouched = try await untouchedOriginal(wanted, exchange) { return untouched }
    let plan = try await wanted.plan(watermarks: watermarks(of: wanted))
    do throws(ImageError) {
      if let meanwhile = plan.meanwhile, await stored(plan.request, plan.recipe) == nil {
        let found = try await encodedFitting(plan.request, meanwhile, of: wanted)
        return answer(with: found, meanwhile: plan, wanted, exchange, clock.date)
      }
      let found = try await encodedFitting(plan.request, plan.recipe, of: wanted)
      return exchange.response(found, for: wanted, at: clock.date)
    } catch {
      throw ServiceError(error)
    }
  }

  // MARK: Pictures made behind

  /// The answer with another form than the best one, which is made now if the picture is not too large for it.
  private func answer(
    with found: EncodedImage, meanwhile plan: WantedImage.Plan, _ wanted: WantedImage, _ exchange: ServiceExchange,
    _ now: Date
  ) -> ServiceResponse {
    let choice = settings.values.avif
    // A part is not stored, so that it would be made behind again and again.
    guard found.size.area <= choice.mostPixels, !found.isPartial else {
      return exchange.response(found, for: wanted, at: now)
    }
    if let key = manager.cacheKey(for: plan.request) {
      var request = plan.request
      request.priority = .low
      // It is not bound to the time of the client who wanted it first.
      request.context[.deadline] = nil
      backgroundEncodings.make(BackgroundEncodings.Name(key: key, recipe: plan.recipe)) { [manager, request] in
        _ = try await manager.encoded(for: request, as: plan.recipe)
      }
    }
    return exchange.response(found, for: wanted, keptAtMost: choice.secondsMeanwhile, at: now)
  }

  /// The same picture made of another source, which is kept under the key of that source.
  private func fallback(
    _ source: String, _ wanted: WantedImage, _ exchange: ServiceExchange
  ) async throws(ServiceError) -> ServiceResponse {
    var other = wanted
    other.order.source = source
    other.order.answer = .picture
    // The hash is that of the picture that cannot be had.
    other.order.hashsum = nil
    other.url = try url(of: source, isOwn: source == settings.values.fallbackSource)
    let plan = try await other.plan(watermarks: watermarks(of: other))
    do throws(ImageError) {
      let found = try await encoded(plan.request, plan.recipe, of: other)
      return exchange.fallbackResponse(found, for: other, at: clock.date)
    } catch {
      throw ServiceError(error)
    }
  }
}

extension ServiceError {
  /// True if the picture of the URL cannot be had, and another may be shown in its place.
  var mayHaveFallback: Bool { [404, 413, 415, 422, 502, 504].contains(status) }
}
