import EaselCore
import EaselTestSupport

@testable import EaselTiers

/// A store of purges in memory, which can fail and forget.
final class FakePurgeStore: PurgeStore {
  private struct State {
    var table = PurgeTable()
    var servers: [String: (server: PurgeServer, seen: Duration)] = [:]
    var listeners: [@Sendable () -> Void] = []
    var isBroken = false
    var exchangeCount = 0
  }

  private let clock: any ImageClock
  private let state = Watched(State())

  init(clock: any ImageClock) { self.clock = clock }

  var table: PurgeTable { state.withLock { $0.table } }
  var exchangeCount: Int { state.withLock { $0.exchangeCount } }
  var ids: Set<String> { state.withLock { Set($0.servers.keys) } }

  func setBroken(_ isBroken: Bool) { state.withLock { $0.isBroken = isBroken } }

  func forget() { state.withLock { $0.table = PurgeTable() } }

  /// Suspends until all servers but one have told that they know the newest purge.
  func waitForConfirmations(besides name: String) async {
    await state.wait { state in
      state.table.latest > 0
        && state.servers.values.allSatisfy { $0.server.name == name || $0.server.known == state.table.latest }
    }
  }

  private func enter() throws {
    if state.withLock({ $0.isBroken }) { throw ImageError(.cacheFailed, "The store is broken.") }
  }

  func exchange(_ server: PurgeServer) async throws -> PurgeTable? {
    try enter()
    let now = clock.uptime
    return state.withLock { state in
      state.exchangeCount += 1
      state.servers[server.id] = (server, now)
      return state.table.latest == server.known ? nil : state.table
    }
  }

  func add(_ purges: [Purge], atLeast number: UInt64) async throws -> UInt64 {
    try enter()
    let (number, listeners) = state.withLock { state in
      let number = max(state.table.latest + 1, number)
      for purge in purges { state.table.note(purge, number) }
      return (number, state.listeners)
    }
    for listener in listeners { listener() }
    return number
  }

  func restore(_ purges: [Purge: UInt64]) async throws {
    try enter()
    state.withLock { state in
      for (purge, number) in purges { state.table.note(purge, number) }
      state.table.note(latest: state.table.latest + 1, latestTag: 0)
    }
  }

  func apply(_ folding: PurgeTable.Folding) async throws {
    try enter()
    state.withLock { state in
      state.table.apply(folding)
      state.table.note(latest: state.table.latest + 1, latestTag: 0)
    }
  }

  func servers() async throws -> [PurgeServer] {
    try enter()
    let now = clock.uptime
    return state.withLock { state in
      state.servers.values.map { known in
        var server = known.server
        server.silence = now - known.seen
        return server
      }
    }
  }

  func leave(_ server: PurgeServer) async { state.withLock { $0.servers[server.id] = nil } }

  func listen(_ announcement: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(announcement) } }
}
