import EaselCore
import EaselObserving
import EaselSupport

/// Feeds the metrics from the events of a manager.
///
/// Every load that shares a piece of work is told of it, so each piece is counted when it is seen first.
extension ServiceMetrics: ImageObserver {
  package func observe(_ event: ImageEvent) {
    events.note(event)
    noteLookup(event)
    noteDownload(event)
    switch event.kind {
    case .cacheHit(let layers):
      if layers.contains(.memory) { countLookup(.memory, .hit) } else { countLookup(.memory, .miss) }
      if layers.contains(.disk) { countLookup(.disk, .hit) }
      // The shared store tells of its lookups itself.
      if layers.contains(.shared) { countLookup(.disk, .miss) }
    case .cacheMiss:
      countLookup(.memory, .miss)
      countLookup(.disk, .miss)
    // Stores in memory cannot fail.
    case .cacheFailed(let error):
      if error.sharedStoreTrouble == nil, events.isFirst(event, .cacheFailed) { countLookup(.disk, .error) }
    case .claimed(let kind, let result):
      guard events.isFirst(event, .claimed(kind)) else { return }
      countClaim(kind, result)
      switch result {
      case .handedOver: countFlight(.remote, .success)
      case .failed: countFlight(.remote, .failure)
      case .won, .goAhead, .unanswered: break
      }
    case .loaded(let byteCount, let metrics):
      guard events.isFirst(event, .loaded) else { return }
      countSource(byteCount: byteCount)
      if let metrics { record(metrics.total, in: .download) }
    case .decoded(_, let duration): if events.isFirst(event, .decoded) { record(duration, in: .decode) }
    case .transformed(let key, let duration):
      if events.isFirst(event, .transformed(key)) { record(duration, in: .transform) }
    case .encoded(_, _, let duration): if events.isFirst(event, .encoded) { record(duration, in: .encode) }
    case .succeeded: end(event, .success)
    case .failed(let error):
      countError(error.code)
      // Those who shared the decoding are told of it too. Without a crash as its cause, the decoder was ended from outside,
      // or there was none.
      if let crash = error.crash, events.role(of: event.load) != .follower {
        countCrash(crash)
      }
      end(event, error.isCancellation ? .cancelled : .failure)
    case .started, .loading, .response, .notModified, .retrying, .stored, .threadLost: break
    }
  }

  /// Measures how long a load takes to find its picture, or an original to make it from, or that no cache has either.
  private func noteLookup(_ event: ImageEvent) {
    switch event.kind {
    case .started: if events.beginLookup(of: event.load, at: clock.uptime) { enter(.lookup) }
    case .cacheHit, .cacheMiss, .claimed, .loading, .succeeded, .failed:
      guard let start = events.endLookup(of: event.load) else { return }
      leave(.lookup)
      switch event.kind {
      case .cacheHit, .cacheMiss, .claimed:
        if events.isFirst(event, .lookedUp) { record(clock.uptime - start, in: .lookup) }
      // It asked no cache, or left before one had answered.
      default: break
      }
    default: break
    }
  }

  /// Counts the transfers that run.
  private func noteDownload(_ event: ImageEvent) {
    switch event.kind {
    case .loading: if events.beginDownload(event) { enter(.download) }
    case .loaded, .notModified, .succeeded, .failed: if events.endDownload(of: event.load) { leave(.download) }
    default: break
    }
  }

  private func end(_ event: ImageEvent, _ outcome: FlightOutcome) {
    if let role = events.takeRole(of: event.load) { countFlight(role, outcome) }
  }
}

/// Remembers which work was counted, and which part each running load has in it.
final class LoadEvents: Sendable {
  /// The kinds of events that many loads get for one piece of work.
  enum SharedKind: Hashable {
    case lookedUp, loaded, decoded, encoded, cacheFailed
    case transformed(String)
    case claimed(FlightKey.Kind)
  }

  private struct Piece: Hashable {
    let run: UInt64
    let kind: SharedKind
  }

  private struct State {
    var roles: [UInt64: FlightRole] = [:]
    /// The times since which loads ask caches.
    var lookups: [UInt64: Duration] = [:]
    /// The transfer for which each load waits.
    var downloads: [UInt64: UInt64] = [:]
    /// The number of loads that wait for each transfer.
    var waiting: [UInt64: Int] = [:]
    var seen: Set<Piece> = []
    /// The pieces in the order they came; a ring.
    var order: [Piece] = []
    var next = 0
  }

  /// The number of pieces that are remembered; all loads that share one are told of it at the same time.
  private let capacity: Int
  private let state = Locked(State())

  init(capacity: Int = 4096) { self.capacity = max(1, capacity) }

  /// Notes the part of a load in shared work.
  func note(_ event: ImageEvent) {
    guard event.run != nil else { return }
    switch event.kind {
    // These can come after the end of their load, which nothing would end again.
    case .stored, .cacheFailed, .threadLost: return
    default: break
    }
    state.withLock { state in
      if event.isJoined {
        if state.roles[event.load] == nil { state.roles[event.load] = .follower }
      } else {
        state.roles[event.load] = .leader
      }
    }
  }

  /// Notes that a load begins to ask caches; returns false if it was noted already.
  func beginLookup(of load: UInt64, at time: Duration) -> Bool {
    state.withLock { $0.lookups.updateValue(time, forKey: load) == nil }
  }

  /// Notes that caches have answered a load; returns the time since which it asked, or nil if it asked nothing.
  func endLookup(of load: UInt64) -> Duration? { state.withLock { $0.lookups.removeValue(forKey: load) } }

  /// Notes that a load waits for a transfer; returns true if no other load did before.
  func beginDownload(_ event: ImageEvent) -> Bool {
    guard let run = event.run else { return false }
    return state.withLock { state in
      guard state.downloads[event.load] == nil else { return false }
      state.downloads[event.load] = run
      state.waiting[run, default: 0] += 1
      return state.waiting[run] == 1
    }
  }

  /// Notes that a load waits no longer; returns true if no other load does.
  func endDownload(of load: UInt64) -> Bool {
    state.withLock { state in
      guard let run = state.downloads.removeValue(forKey: load), let count = state.waiting[run] else { return false }
      state.waiting[run] = count > 1 ? count - 1 : nil
      return count == 1
    }
  }

  /// The part of a load that runs; nil if it has taken part in no shared work so far.
  func role(of load: UInt64) -> FlightRole? { state.withLock { $0.roles[load] } }

  /// The part of a load that ended; nil if it took part in no shared work.
  func takeRole(of load: UInt64) -> FlightRole? { state.withLock { $0.roles.removeValue(forKey: load) } }

  /// True if no load was told of this piece of work before.
  func isFirst(_ event: ImageEvent, _ kind: SharedKind) -> Bool {
    guard let run = event.run else { return true }
    let piece = Piece(run: run, kind: kind)
    return state.withLock { state in
      guard state.seen.insert(piece).inserted else { return false }
      if state.order.count < capacity {
        state.order.append(piece)
      } else {
        state.seen.remove(state.order[state.next])
        state.order[state.next] = piece
        state.next = (state.next + 1) % capacity
      }
      return true
    }
  }

  /// The number of loads that are remembered.
  var loadCount: Int { state.withLock { $0.roles.count + $0.lookups.count } }
}

extension ImageError {
  /// The crash of a decoder that caused the error.
  fileprivate var crash: DecoderCrash? { causes.lazy.compactMap { $0 as? DecoderCrash }.first }
}
