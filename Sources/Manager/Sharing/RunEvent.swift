import EaselCore
import EaselHTTP
import FoundationEssentials
import Synchronization

/// An event of a run before its end.
enum RunEvent: Sendable {
  /// Bytes arrived; the expected length is nil while it is unknown.
  case progress(received: Int, expected: Int?)
  /// More of the body can be decoded.
  case arrived(ArrivingBody)
  /// A preview of the picture.
  case preview(Image)
  /// The cached picture, while it is being refreshed.
  case cached(Image)
  /// An event for the observers, with the run in which it happened and the time at which it began.
  case report(ImageEvent.Kind, in: RunID, began: Date)

  /// True when this event replaces an older one that is not yet delivered: pictures must not pile up for a slow
  /// listener.
  func replaces(_ older: RunEvent) -> Bool {
    switch (self, older) {
    case (.preview, .preview), (.cached, .cached): true
    default: false
    }
  }
}

/// The past events of a run, for places that join late.
struct RunHistory: Sendable {
  // The number is enough for all steps of a run. It keeps a run that retries for hours from filling the memory.
  private static let mostReports = 32

  private var progress: RunEvent?
  private var preview: RunEvent?
  private var cached: RunEvent?
  private var arrival: RunEvent?
  private var reports: [RunEvent] = []
  /// The number of bytes that was last compared with the limits.
  var byteCount = 0
  /// The number of bytes that exceeded every limit; nil if none did.
  var refusedCount: Int?

  mutating func add(_ event: RunEvent) {
    switch event {
    case .progress(let received, let expected):
      progress = event
      if received == 0, expected == nil { (byteCount, refusedCount) = (0, nil) }
    case .preview: preview = event
    case .cached: cached = event
    case .arrived: arrival = event
    case .report: if reports.count < Self.mostReports { reports.append(event) }
    }
  }

  func events(isOver: Bool) -> [RunEvent] {
    var events = reports
    if let cached { events.append(cached) }
    if let progress {
      events.append(.progress(received: 0, expected: nil))
      if case .progress(0, nil) = progress {} else { events.append(progress) }
    }
    // If the body is complete, a late place needs no previews of its parts.
    if isOver { return events }
    return events + [arrival, preview].compactMap { $0 }
  }
}

/// The number of a run, and the turn of the load that started it.
struct RunID: Hashable, Sendable {
  let number: UInt64
  let turn: UInt64?
}

/// Numbers runs uniquely within the process.
enum RunNumber {
  private static let last = Atomic<UInt64>(0)

  static func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
