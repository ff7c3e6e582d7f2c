import CEaselCurl
import EaselCore
import EaselHTTP

/// One load on the engine's thread, from the queue to its result.
///
/// It is used only on that thread.
final class Transfer {
  enum Phase {
    /// There is no step at present: the transfer waits in the queue, or its next step is about to start.
    case idle
    /// curl performs a step.
    case running(CurlExchange)
    /// The loader's hook decides whether this step, to which a redirect leads, may start.
    case redirecting(TransferStep)
    case ended
  }

  /// The way in which a transfer counts for the limits.
  enum Place {
    /// The transfer waits in the queue, and does not count.
    case queued
    case running
    /// The transfer has waited for its sink since this time.
    case pausedShortly(since: Int64)
    /// The transfer has waited for its sink for so long that it no longer counts.
    case paused
  }

  /// The head that the sink has accepted, and the number of body bytes that the sink has.
  struct Delivery {
    let head: ResponseHead
    var byteCount = 0
  }

  let job: LoadJob
  // The engine releases the transfer after its end, which breaks this cycle of references.
  let engine: CurlEngine
  var priority: LoadPriority
  var link = QueueLink()

  var stage = Phase.idle
  var place = Place.queued
  /// The time at which the transfer left the queue.
  var startTime: Int64?
  var delivery: Delivery?
  var isSinkPausing = false
  /// The part of the body that an earlier load has kept; nil after it was used or proved useless.
  var partial: PartialBody?
  var resumptionCount = 0
  /// True when the whole body was requested because its rest was not available.
  var hasStartedAfresh = false
  var totals = TransferTotals()

  init(_ job: LoadJob, engine: CurlEngine) {
    self.job = job
    self.engine = engine
    partial = job.partial
    priority = job.request.priority.value
  }

  var server: String { job.server }
  var subject: String { job.url }

  /// The step that curl performs; nil when there is none.
  var exchange: CurlExchange? {
    if case .running(let exchange) = stage { exchange } else { nil }
  }

  var hasEnded: Bool {
    if case .ended = stage { true } else { false }
  }

  /// The most bytes that may come over a connection for one response.
  ///
  /// It is the size of the head, the body, and the same again for everything around the body: chunk sizes, encryption,
  /// and packing, which makes data that cannot be compressed a little larger.
  var mostBytes: UInt64 {
    let sizes = [job.request.byteLimit, job.request.byteLimit, engine.configuration.maximumHeadBytes, 1 << 20]
    return sizes.reduce(into: UInt64(0)) { $0 += UInt64(clamping: min($1, .max / 8)) }
  }

  var isRevalidation: Bool {
    job.request.headers["If-None-Match"] != nil || job.request.headers["If-Modified-Since"] != nil
  }

  /// Makes the sink drop the head and the bytes that it has.
  func restartSink() {
    job.sink.restart(at: 0)
    delivery = nil
  }

  /// The range request for the rest of the body; nil when the rest cannot be requested.
  func rangeOfRest() -> BodyRange? {
    guard job.request.isResumable, let delivery, let length = delivery.head.expectedLength, delivery.byteCount > 0,
      delivery.byteCount < length, let validator = BodyRange.strongValidator(of: delivery.head)
    else { return nil }
    return BodyRange(start: delivery.byteCount, length: length, validator: validator, head: delivery.head)
  }

  /// True unless the request or the response says `no-store`, or the server cannot continue the body.
  private var mayBeKept: Bool {
    let own = engine.cacheControl.map { [$0] } ?? []
    let fields = [job.request.headers, delivery?.head.headers ?? [:]].flatMap { $0.values(of: "Cache-Control") }
    return !hasStartedAfresh && !CacheControl(own + fields).has("no-store")
  }

  /// Keeps a part of the body for the next load of the same key: the unused part of an earlier load, or the sink's
  /// bytes.
  func keepBytes(after failure: ImageError?) {
    guard let store = engine.configuration.resumeStore, mayBeKept else { return }
    if let partial { return store.put(partial, for: job.request.key) }
    guard failure == nil || failure?.code == .truncatedBody, let range = rangeOfRest(),
      let bytes = job.sink.receivedBytes, bytes.count == range.start
    else { return }
    let kept = PartialBody(bytes: bytes, head: range.head, validator: range.validator, length: range.length)
    store.put(kept, for: job.request.key)
  }
}

extension LoadRequest {
  /// True when two parts of the response can be joined to one body.
  var isResumable: Bool {
    guard method == "GET", body == nil else { return false }
    return headers.isEmpty
      || ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
        .allSatisfy { headers[$0] == nil }
  }
}
