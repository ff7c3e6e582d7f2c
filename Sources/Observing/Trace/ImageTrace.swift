import EaselCore
import EaselSupport

/// Records what each load did, when, and what it shared with whom, as a trace in Chrome's format.
///
/// ```swift
/// let trace = ImageTrace()
/// configuration.observer = trace
/// // After the work:
/// try Data(trace.json().utf8).write(to: file)
/// ```
///
/// Perfetto (https://ui.perfetto.dev) and chrome://tracing show the file. Each load has a row, and so has each run of
/// shared work, with its transfers, decodes, transforms and encodes. Arrows lead from a load to the runs it started and
/// to those it joined. Of URLs, the trace has scheme, host and path, and no user, password or query.
public final class ImageTrace: ImageObserver {
  private let state: Locked<TraceRecord>
  private let clock: any ImageClock
  private let news = RepeatedEvents()

  /// Creates an empty trace that records up to so many loads, runs and stages; later ones are counted and left out.
  public convenience init(limit: Int = 200_000) { self.init(limit: limit, clock: SystemClock()) }

  init(limit: Int, clock: any ImageClock) {
    self.clock = clock
    state = Locked(TraceRecord(limit: limit, origin: clock.uptime))
  }

  /// Records an event.
  public func observe(_ event: ImageEvent) {
    let now = clock.uptime
    if case .started = event.kind { news.begin(event.load, at: now) }
    let isNews = news.isNews(event)
    state.withLock { $0.add(event, isNews: isNews, at: now) }
    switch event.kind {
    case .succeeded, .failed: _ = news.end(event.load)
    default: break
    }
  }

  /// The trace as JSON.
  ///
  /// Loads that still run end at this moment in it. Recording goes on meanwhile.
  public func json() -> String {
    let now = clock.uptime
    // A copy, so that nobody waits while it is written.
    let record = state.withLock { $0 }
    return TraceText(record, now: now).text
  }
}
