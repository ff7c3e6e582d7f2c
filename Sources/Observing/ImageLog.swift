import EaselCore
import EaselSupport

/// Hands a structured entry about each event to a closure or to a ``LogSink``, for the log of your choice.
///
/// ```swift
/// configuration.observer = ImageLog(from: .info) { entry in
///   print(entry.level.rawValue, entry.message, entry.fields)
/// }
/// ```
///
/// The closure or the sink is called on the way of each load, from several threads at once, and must be quick. Entries
/// have no secrets: of URLs they have scheme, host and path, and no user, password or query, also in the texts of errors.
///
/// If several loads of one original fail for the same reason, such as several variants of a damaged picture, one of
/// them per minute is logged as a failure. The others have the level `debug`.
public struct ImageLog: ImageObserver {
  /// The importance of an entry.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// Each step of a load.
    case debug
    /// The result of a load.
    case info
    /// A failure that the load survives, or a load that failed because of the requested picture.
    ///
    /// Such a picture does not exist, is damaged, is not allowed or is too large.
    case warning
    /// A load that failed for another reason, such as the network, or a thread that was lost.
    case error

    /// True if the first level is less important.
    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
  }

  /// An entry of the log.
  public struct Entry: Sendable {
    /// The importance of the entry.
    public let level: Level
    /// The event in a few fixed words, such as `load succeeded`.
    public let message: String
    /// The details: values under names that never change.
    public let fields: [String: String]
  }

  /// What is kept of a load while it runs.
  private struct Start {
    let time: Duration
    /// The fields of the task that began it.
    let fields: [String: String]
  }

  private let sink: any LogSink
  private let clock: any ImageClock
  private let starts = Locked<[UInt64: Start]>([:])
  private let failures = Locked(ExpiringTable<Failure, Void>(capacity: 1024))

  /// A reason for which loads of an original fail.
  private struct Failure: Hashable {
    let original: Int
    let code: ImageError.Code
  }

  /// The time after a failure in which the same failure has the level `debug`.
  private static let pause = Duration.seconds(60)

  /// Creates an observer that passes on entries of `level` and above.
  public init(from level: Level = .debug, _ write: @escaping @Sendable (Entry) -> Void) {
    self.init(from: level, clock: SystemClock(), write)
  }

  /// Creates an observer that hands the entries to a sink.
  public init(to sink: any LogSink) { self.init(to: sink, clock: SystemClock()) }

  init(from level: Level, clock: any ImageClock, _ write: @escaping @Sendable (Entry) -> Void) {
    self.init(to: ClosureSink(least: level, entry: write), clock: clock)
  }

  init(to sink: any LogSink, clock: any ImageClock) {
    self.sink = sink
    self.clock = clock
  }

  /// Passes on an entry about the event.
  public func observe(_ event: ImageEvent) {
    let (start, time) = note(event)
    var (level, message) = Self.summary(of: event.kind)
    if level > .debug, isKnownFailure(event) { (level, message) = (.debug, "load failed as before") }
    guard sink.accepts(level) else { return }
    var fields = Self.details(of: event.kind)
    fields["load"] = String(event.load)
    if let time { fields["ms"] = Self.milliseconds(time) }
    if let source = event.url?.absoluteString ?? event.key?.original {
      fields["url"] = LoggedURL(source)?.text ?? "(not shown)"
    }
    if let run = event.run {
      fields["run"] = String(run)
      fields["joined"] = String(event.isJoined)
    }
    if let start, !start.fields.isEmpty { fields.merge(start.fields) { own, _ in own } }
    sink.write(Entry(level: level, message: message, fields: fields))
  }

  /// The start of the load, and the time that it took when it ends.
  private func note(_ event: ImageEvent) -> (Start?, Duration?) {
    switch event.kind {
    case .started:
      let start = Start(time: clock.uptime, fields: sink.callerFields())
      starts.withLock { $0[event.load] = start }
      return (start, nil)
    case .succeeded, .failed:
      let now = clock.uptime
      let start = starts.withLock { $0.removeValue(forKey: event.load) }
      return (start, start.map { now - $0.time })
    default: return (starts.withLock { $0[event.load] }, nil)
    }
  }

  /// True for a failure that was logged a short time ago.
  private func isKnownFailure(_ event: ImageEvent) -> Bool {
    guard case .failed(let error) = event.kind, !error.isCancellation, let key = event.key else { return false }
    let failure = Failure(original: key.originalKey.precomputedHash, code: error.code)
    let now = clock.uptime
    return failures.withLock { failures in
      if failures.value(of: failure, at: now) != nil { return true }
      failures.insert((), for: failure, until: now + Self.pause, at: now)
      return false
    }
  }

  private static func summary(of kind: ImageEvent.Kind) -> (Level, String) {
    switch kind {
    case .started: (.debug, "load began")
    case .cacheHit: (.debug, "found in the cache")
    case .cacheMiss: (.debug, "not found in the cache")
    case .claimed(_, .unanswered): (.warning, "coordinator did not answer")
    case .claimed: (.debug, "asked the coordinator")
    case .loading: (.debug, "transfer began")
    case .response: (.debug, "response began")
    case .loaded: (.debug, "transfer ended")
    case .notModified: (.debug, "not modified")
    case .retrying: (.warning, "transfer will be tried again")
    case .decoded: (.debug, "decoded")
    case .transformed: (.debug, "transformed")
    case .encoded: (.debug, "encoded")
    case .stored: (.debug, "stored")
    case .cacheFailed: (.warning, "cache failed")
    case .threadLost: (.error, "thread lost")
    case .succeeded: (.info, "load succeeded")
    case .failed(let error):
      error.isCancellation ? (.info, "load cancelled") : (isAboutRequest(error) ? .warning : .error, "load failed")
    }
  }

  /// True if a load failed because of the requested picture, so that the operator need not do anything.
  private static func isAboutRequest(_ error: ImageError) -> Bool {
    switch error.code {
    case .invalidURL, .unsupportedURL, .notInCache, .blockedURL, .refusedURL, .forbiddenAddress, .unsupportedFormat,
      .badImageData, .badContentType, .encodeFailed, .overloaded:
      true
    case .limitExceeded: !error.isExhaustion
    case .badStatus: error.status.map { (400...499).contains($0) } ?? false
    default: false
    }
  }

  private static func details(of kind: ImageEvent.Kind) -> [String: String] {
    switch kind {
    case .started, .cacheMiss, .notModified: [:]
    case .cacheHit(let layers), .stored(_, let layers): ["layer": name(of: layers)]
    case .claimed(let kind, let result): ["kind": kind.rawValue, "result": result.rawValue]
    case .loading(let attempt): ["attempt": String(attempt)]
    case .response(let head): ["status": head.status.map { String($0) } ?? "none"]
    case .loaded(let count, let metrics):
      ["bytes": String(count)].merging(metrics.map { ["ms": milliseconds($0.total)] } ?? [:]) { $1 }
    case .retrying(let delay, let error):
      details(of: error).merging(["delayMs": milliseconds(delay)]) { $1 }
    case .decoded(let size, let time): ["size": "\(size)", "ms": milliseconds(time)]
    // The rest of the key may contain text of a user, such as the address of a watermark.
    case .transformed(let key, let time):
      ["transformer": String(key.prefix { $0 != "(" }), "ms": milliseconds(time)]
    case .encoded(let format, let count, let time):
      ["format": format.mimeType, "bytes": String(count), "ms": milliseconds(time)]
    case .cacheFailed(let error), .threadLost(let error), .failed(let error): details(of: error)
    case .succeeded(let source): ["source": source.rawValue]
    }
  }

  private static let longestCause = 1000

  private static func details(of error: ImageError) -> [String: String] {
    var fields = ["code": error.code.name, "reason": LoggedURL.hidingSecrets(in: error.message)]
    if let status = error.status { fields["status"] = String(status) }
    if !error.causes.isEmpty {
      let causes = error.causes.map { ShownURL.text("\($0)") }.joined(separator: "; ")
      fields["cause"] = LoggedURL.hidingSecrets(in: String(causes.prefix(longestCause)))
    }
    return fields
  }

  private static func name(of layers: CacheLayers) -> String {
    let names = [(CacheLayers.memory, "memory"), (.disk, "disk"), (.shared, "shared")]
    return names.filter { layers.contains($0.0) }.map(\.1).joined(separator: "+")
  }

  /// Milliseconds with up to three digits after the point.
  private static func milliseconds(_ time: Duration) -> String {
    let micros = Int(min(max(0, time / .microseconds(1)), 1e15).rounded())
    guard micros % 1000 != 0 else { return String(micros / 1000) }
    let rest = String(micros % 1000)
    return "\(micros / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
  }
}
