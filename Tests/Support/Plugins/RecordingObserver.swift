import EaselCore

/// An observer that records each event and lets tests wait for one.
///
/// ```swift
/// let observer = RecordingObserver()
/// configuration.observer = observer
/// _ = try await ImageManager(configuration).image(for: url)
/// await observer.wait(for: "stored")
/// ```
public final class RecordingObserver: ImageObserver {
  private let seen = Watched<[ImageEvent]>([])

  /// Begins without an event.
  public init() {}

  /// The events in order.
  public var events: [ImageEvent] { seen.withLock { $0 } }

  /// The names of the events in order, such as `started` or `cacheMiss`.
  public var names: [String] { events.map(\.kind.name) }

  /// Clears the recorded events.
  public func forgetEvents() { seen.withLock { $0 = [] } }

  /// Suspends until an event was recorded that satisfies the condition.
  public func wait(for isWanted: @escaping @Sendable (ImageEvent) -> Bool) async {
    await seen.wait { $0.contains(where: isWanted) }
  }

  /// Suspends until this many events of a name were recorded.
  public func wait(for name: String, count: Int = 1) async {
    await seen.wait { events in events.count { $0.kind.name == name } >= count }
  }

  /// Records an event.
  public func observe(_ event: ImageEvent) { seen.withLock { $0.append(event) } }
}

extension ImageEvent.Kind {
  /// The name of the case.
  public var name: String {
    switch self {
    case .started: "started"
    case .cacheHit: "cacheHit"
    case .cacheMiss: "cacheMiss"
    case .claimed: "claimed"
    case .loading: "loading"
    case .response: "response"
    case .loaded: "loaded"
    case .notModified: "notModified"
    case .retrying: "retrying"
    case .decoded: "decoded"
    case .transformed: "transformed"
    case .encoded: "encoded"
    case .stored: "stored"
    case .cacheFailed: "cacheFailed"
    case .threadLost: "threadLost"
    case .succeeded: "succeeded"
    case .failed: "failed"
    }
  }
}
