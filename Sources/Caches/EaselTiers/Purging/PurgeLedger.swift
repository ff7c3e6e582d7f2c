import EaselCore
import EaselSupport
import EaselWorkers

/// Remembers what was purged, so that nothing older is served: by this server, after a restart, and by a whole fleet.
///
/// It keeps a number for each source, prefix and tag that was ever purged. The numbers are part of the keys of caches, so
/// what is stored under older ones is not found any more, also if it is stored only later.
///
/// A ledger with a directory keeps the numbers there, and learns of those that other processes write. With a store that
/// servers share, it learns of their purges, and they of its own. It relies on what it knows for the time of its lease,
/// and then must have heard of its directory and its store again.
///
/// ```swift
/// var settings = PurgeLedger.Configuration()
/// settings.directory = "/var/cache/easel"
/// let ledger = PurgeLedger(settings)
/// ```
public final class PurgeLedger: Sendable {
  /// The rule for a server that does not hear of purges.
  public enum CutOff: String, Hashable, Sendable, CaseIterable {
    /// Serves what its caches have, and says at `/health` that it does not hear of purges.
    case serve
    /// Loads and makes each picture anew, which costs a fleet without its store most of its caches.
    case load
  }

  /// The settings of a ledger.
  public struct Configuration: Sendable {
    /// The directory that keeps the numbers, which is that of the disk cache; nil to forget them at the end.
    public var directory: String?
    /// The time for which the server relies on what it knows.
    public var lease = Duration.seconds(1)
    /// The rule for a server that does not hear of purges.
    public var whenCutOff = CutOff.serve
    /// The longest time for which a request waits until the lease is renewed.
    public var patience = Duration.milliseconds(100)
    /// The name of the server in reports.
    public var name = "server"
    /// The most purges that are remembered one by one; older ones are folded into wider ones.
    public var capacity = 10_000
    package var store: (any PurgeStore)?
    package var clock: any ImageClock = SleepCountingClock()

    /// Creates the settings of a ledger that is kept in memory only.
    public init() {}
  }

  struct State {
    var table = PurgeTable()
    /// Changes with each change of the table.
    var version: UInt64 = 0
    /// The uptime until which the table can be relied on.
    var validUntil = Duration.zero
    /// The newest number of the table that was last taken from the store.
    ///
    /// The own table may have a newer one of this server, and still lack others that were before it.
    var taken: UInt64 = 0
    /// The purges that the store does not have yet.
    var unsent: [Purge: UInt64] = [:]
    var renewal: Task<Void, Never>?
    /// True if something was announced while a renewal ran.
    var mustRenewAgain = false
    /// The uptime of the last renewal that failed, if none has succeeded since.
    var failure: Duration?
    /// The uptime since which no renewal has succeeded.
    var cutOffSince: Duration?
    var fileVersion: PurgeFile.Version?
    /// True once the directory shows that a server uses it.
    var isPrepared = false
    /// True if the file may lack something.
    var mustWrite = false
    var loop: Task<Void, Never>?
    var count = 0
    /// Called after purges were noted, here or by others.
    var whenPurged: (@Sendable () -> Void)?
  }

  /// The time that a renewal may take until it fails.
  private static let longestRenewal = Duration.seconds(3)

  let configuration: Configuration
  let state = Locked(State())
  let file: PurgeFile?
  let id = String(UInt64.random(in: .min ... .max), radix: 36)
  /// True if others may purge, so that the table must be looked at again and again.
  let isShared: Bool

  /// Creates a ledger that keeps its purges in the directory of the configuration, or without one only in memory.
  public init(_ configuration: Configuration = Configuration()) {
    var configuration = configuration
    configuration.lease = max(configuration.lease, .milliseconds(10))
    configuration.capacity = max(configuration.capacity, 10)
    self.configuration = configuration
    file = configuration.directory.map { PurgeFile(in: $0) }
    isShared = configuration.directory != nil || configuration.store != nil
  }

  deinit { state.withLock { $0.loop }?.cancel() }

  var clock: any ImageClock { configuration.clock }

  /// Calls `body` after each purge that was noted here or learned from others.
  package func whenPurged(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenPurged = body } }

  /// Tells of purges that were noted.
  func tellOfPurges() { state.withLock { $0.whenPurged }?() }

  // MARK: Reading

  /// The state of a ledger at one moment.
  package enum Moment: Hashable, Sendable {
    /// What the ledger knows can be relied on, or is to be.
    case current
    /// It cannot be relied on; the text tells apart the times for which pictures that are loaded now may be used.
    case cutOff(String)
  }

  /// A number that changes with each purge; nil if the ledger has to be renewed first.
  package var version: UInt64? {
    guard isShared else { return state.withLock { $0.version } }
    let now = clock.uptime
    return state.withLock { isUsable($0, at: now) ? $0.version : nil }
  }

  private func isUsable(_ state: State, at now: Duration) -> Bool {
    if now < state.validUntil { return true }
    return configuration.whenCutOff == .serve && isCutOff(state, at: now)
  }

  /// True while it is known that nobody answers, so that requests do not wait for that.
  private func isCutOff(_ state: State, at now: Duration) -> Bool {
    state.failure.map { now - $0 < max(configuration.lease * 2, Self.longestRenewal) } ?? false
  }

  /// Renews the ledger if its lease has ended; waits at most as long as a request may.
  package func moment() async -> Moment {
    for _ in 0..<2 where mustWait { await renew(within: configuration.patience) }
    guard version == nil, configuration.whenCutOff == .load else { return .current }
    return .cutOff("\(id).\(Int64(clock.uptime / configuration.lease))")
  }

  private var mustWait: Bool {
    guard isShared else { return false }
    let now = clock.uptime
    return state.withLock { now >= $0.validUntil && !isCutOff($0, at: now) }
  }

  /// The number of a source that has these tags, and the newest number of any tag.
  package func numbers(of source: String, tags: [String]) -> (own: UInt64, newestTag: UInt64) {
    state.withLock { ($0.table.number(of: source, tags: tags), $0.table.latestTag) }
  }

  /// True if one of these tags was purged after the purge of this number.
  package func hasPurged(_ tags: [String], since number: UInt64) -> Bool {
    state.withLock { $0.table.latestTag > number && $0.table.number(ofTags: tags) > number }
  }

  /// The figures of a ledger, for metrics and health.
  package struct Figures: Hashable, Sendable {
    /// The purges that were done here or learned from others.
    package let purges: Int
    /// The purges that are remembered one by one.
    package let entries: Int
    /// The time since which nothing was heard of purges; nil if the ledger can be relied on.
    package let cutOffTime: Duration?
  }

  package var figures: Figures {
    let now = clock.uptime
    return state.withLock { state in
      let isCutOff = isShared && now >= state.validUntil && state.failure != nil
      return Figures(
        purges: state.count, entries: state.table.numbers.count,
        cutOffTime: isCutOff ? now - (state.cutOffSince ?? now) : nil)
    }
  }
}
