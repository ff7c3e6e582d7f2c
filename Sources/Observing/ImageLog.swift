import EaselCore
import EaselSupport

/// Hands a structured entry about each event to a closure, for the log of your choice.
///
/// ```swift
/// configuration.observer = ImageLog(from: .info) { entry in
///   print(entry.level.rawValue, entry.message, entry.fields)
/// }
/// ```
///
/// The closure is called on the way of each load, from several threads at once, and must be quick. Entries have no
/// secrets: of URLs they have scheme, host and path, and no user, password or query, also in the texts of errors.
///
/// Of loads that fail for the same reason at the same original, such as several variants of a damaged picture, one a
/// minute has the level of a failure, and the others have `debug`.
public struct ImageLog: ImageObserver {
  /// The weight of an entry.
  public enum Level: String, CaseIterable, Comparable, Sendable {
    /// Each step of a load.
    case debug
    /// The result of a load.
    case info
    /// A mishap that the load survives, or a load that failed by what was asked for.
    ///
    /// That is a picture that does not exist, is damaged, is not allowed or is too large.
    case warning
    /// A load that failed by itself, as by the network, or a thread that was lost.
    case error

    /// True if the first level weighs less.
    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
  }

  /// An entry of the log.
  public struct Entry: Sendable {
    /// The weight.
    public let level: Level
    /// The event in a few fixed words, such as `load succeeded`.
    public let message: String
    /// The details: names of fields, which never change, and their values.
    public let fields: [String: String]
  }

  private let least: Level
  private let write: @Sendable (Entry) -> Void
  private let clock: any ImageClock
  private let starts = Locked<[UInt64: Duration]>([:])
  private let failures = Locked(ExpiringTable<Failure, Void>(capacity: 1024))

  /// A reason for which loads of an original fail.
  private struct Failure: Hashable {
    let original: Int
    let code: ImageError.Code
  }

  /// The time for which the failure of an original is no news.
  private static let pause = Duration.seconds(60)

  /// Creates an observer that hands over entries of `level` and above.
  public init(from level: Level = .debug, _ write: @escaping @Sendable (Entry) -> Void) {
    self.init(from: level, clock: SystemClock(), write)
  }

  init(from level: Level, clock: any ImageClock, _ write: @escaping @Sendable (Entry) -> Void) {
    least = level
    self.write = write
    self.clock = clock
  }

  /// Hands over an entry about the event.
  public func observe(_ event: ImageEvent) {
    let time = time(of: event)
    var (level, message) = Self.summary(of: event.kind)
    if level > .debug, isKnownFailure(event) { (level, message) = (.debug, "load failed as before") }
    guard level >= least else { return }
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
    write(Entry(level: level, message: message, fields: fields))
  }

  /// The time that a load took, when it ends.
  private func time(of event: ImageEvent) -> Duration? {
    switch event.kind {
    case .started:
      let now = clock.uptime
      starts.withLock { $0[event.load] = now }
      return nil
    case .succeeded, .failed:
      let now = clock.uptime
      return starts.withLock { $0.removeValue(forKey: event.load) }.map { now - $0 }
    default: return nil
    }
  }

  /// True for a failure that was news a short time ago.
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

  /// True if a load failed by what was asked for, so that nobody who runs the program has to do anything.
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
    // The rest of the key may hold what a user typed, such as the address of a watermark.
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
