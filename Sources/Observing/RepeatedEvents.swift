import EaselCore
import EaselSupport

/// Tells whether an event is new, or was already seen by another load.
///
/// All loads that share a piece of work get its events; a load that joins late also gets past events. All loads get the
/// events of a run in the same order, so an event is recognized by its number among the events of its kind.
final class RepeatedEvents: Sendable {
  /// A load that has begun and not ended.
  struct RunningLoad {
    let started: Duration
    var hasJoined = false
    /// For each run, the number of events of each kind that this load got.
    var told: [UInt64: [EventName: Int]] = [:]
  }

  private struct State {
    var loads: [UInt64: RunningLoad] = [:]
    /// For each run, the number of events of each kind that were new.
    var seen: [UInt64: [EventName: Int]] = [:]
    /// The runs in the order of their first events; a ring.
    var order: [UInt64] = []
    var next = 0
  }

  /// The number of runs that are remembered; all loads get an event of their run at about the same time.
  private let capacity: Int
  private let state = Locked(State())

  init(capacity: Int = 4096) { self.capacity = max(1, capacity) }

  func begin(_ load: UInt64, at time: Duration) {
    state.withLock { $0.loads[load] = RunningLoad(started: time) }
  }

  /// Forgets a load that ended; returns nil if the load is unknown.
  func end(_ load: UInt64) -> RunningLoad? { state.withLock { $0.loads.removeValue(forKey: load) } }

  /// True if no load got this event before.
  func isNews(_ event: ImageEvent) -> Bool {
    guard let run = event.run else { return true }
    let name = EventName(event.kind)
    return state.withLock { state in
      let load = state.loads[event.load]
      if event.isJoined, load?.hasJoined == false { state.loads[event.load]?.hasJoined = true }
      let seen = state.seen[run]?[name] ?? 0
      let place: Int
      if load != nil {
        place = (load?.told[run]?[name] ?? 0) + 1
        state.loads[event.load]?.told[run, default: [:]][name] = place
      } else {
        // The event is about a store after the end of the load. Such events are not counted, so only the first one is
        // new.
        place = 1
      }
      guard place > seen else { return false }
      if state.seen[run] == nil { remember(run, &state) }
      state.seen[run, default: [:]][name] = place
      return true
    }
  }

  private func remember(_ run: UInt64, _ state: inout State) {
    guard state.order.count == capacity else { return state.order.append(run) }
    state.seen[state.order[state.next]] = nil
    state.order[state.next] = run
    state.next = (state.next + 1) % capacity
  }

  /// The number of loads that are remembered.
  var loadCount: Int { state.withLock { $0.loads.count } }
}

/// The kind of an event, without its values except those that distinguish events of one kind.
enum EventName: Hashable, Sendable {
  case started, cacheHit, cacheMiss, claimed, loading, response, loaded, notModified, retrying, decoded, transformed,
    encoded
  case cacheFailed, threadLost, succeeded, failed
  /// Stores end in any order, so the entry distinguishes them.
  case stored(CacheKey, CacheLayers)

  init(_ kind: ImageEvent.Kind) {
    self =
      switch kind {
      case .started: .started
      case .cacheHit: .cacheHit
      case .cacheMiss: .cacheMiss
      case .claimed: .claimed
      case .loading: .loading
      case .response: .response
      case .loaded: .loaded
      case .notModified: .notModified
      case .retrying: .retrying
      case .decoded: .decoded
      case .transformed: .transformed
      case .encoded: .encoded
      case .stored(let key, let layers): .stored(key, layers)
      case .cacheFailed: .cacheFailed
      case .threadLost: .threadLost
      case .succeeded: .succeeded
      case .failed: .failed
      }
  }
}
