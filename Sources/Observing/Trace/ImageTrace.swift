import EaselCore
import EaselSupport

/// Records the steps of each load, their times, and the work shared with other loads, as a trace in Chrome's format.
///
/// ```swift
/// let trace = ImageTrace()
/// configuration.observer = trace
/// // After the work:
/// try Data(trace.json().utf8).write(to: file)
/// ```
///
/// Perfetto (https://ui.perfetto.dev) and chrome://tracing show the file. Each load has a row. Each run of shared work
/// also has a row, with its transfers, decodes, transforms and encodes. Arrows lead from a load to the runs that it
/// started or joined. Of a URL, the trace has the scheme, host and path, but no user, password or query.
public final class ImageTrace: ImageObserver {
  private let state: Locked<TraceRecord>
  private let clock: any ImageClock
  private let news = RepeatedEvents()

  /// Creates an empty trace that records at most `limit` loads, runs and stages; it counts later ones but omits them.
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
  /// Loads that are still running end at this moment in the trace. Recording goes on.
  public func json() -> String {
    let now = clock.uptime
    // This is a copy, so that no load waits while the text is written.
    let record = state.withLock { $0 }
    return TraceText(record, now: now).text
  }
}
