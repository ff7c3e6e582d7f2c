import EaselCore
import EaselSupport

/// Several shared stores as one: each entry goes to the first store that takes it.
///
/// A fast engine for small results comes before a large one for originals and everything else. A lookup asks one store
/// after the other. Each store has its own time limits and its own breaker, so that a failing store does not hide the
/// others. The load that meets a failure continues without the group. Later loads skip the failing store for a while.
public final class SharedStoreGroup: SharedStore {
  /// A store of a group, and the entries that it takes.
  public struct Member: Sendable {
    /// The store.
    public var store: any SharedStore
    /// The largest body that the store takes; nil for any.
    public var largestBody: Int?
    /// True if the store takes originals, and not only what was made from them.
    public var takesOriginals = true
    /// The time limits of the store.
    public var settings = TieredCache.SharedStoreSettings()

    /// Creates a member that takes everything.
    public init(_ store: any SharedStore) { self.store = store }
  }

  fileprivate struct Place: Sendable {
    let store: GuardedStore
    let largestBody: Int?
    let takesOriginals: Bool

    func mayHave(_ key: CacheKey) -> Bool { takesOriginals || key.isVariant }

    func takes(_ byteCount: Int, for key: CacheKey) -> Bool {
      mayHave(key) && byteCount <= largestBody ?? .max
    }
  }

  /// The newest bytes of an original that the stores know of.
  private struct News: Equatable, Sendable {
    let generation: UInt64
    let response: CacheRecord.Response?
  }

  private static let mostNews = 4096
  /// The time after which stores are told again, because another machine may have removed everything.
  private static let newsLife = Duration.seconds(5)

  private let places: [Place]
  private let observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)?
  private let told = Locked<[CacheKey: (news: News, until: Duration)]>([:])
  private let clock: any ImageClock

  /// Creates a group; the observer gets one hit or miss for each lookup, and the failures of all stores.
  public convenience init(_ members: [Member], observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)? = nil) {
    self.init(members, observer: observer, clock: SystemClock())
  }

  init(_ members: [Member], observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)?, clock: any ImageClock) {
    self.observer = observer
    self.clock = clock
    places = members.map { member in
      var settings = member.settings
      settings.observer = { [own = member.settings.observer] event in
        own?(event)
        // After a miss in this store, the next store may have the entry.
        switch event {
        case .hit, .miss: break
        case .failed, .opened, .closed: observer?(event)
        }
      }
      return Place(
        store: GuardedStore(member.store, settings, clock: clock), largestBody: member.largestBody,
        takesOriginals: member.takesOriginals)
    }
  }

  /// The calls of each store so far.
  public var counts: [TieredCache.SharedStoreCounts] { places.map(\.store.counts) }

  /// Wraps a coordinator so that it is asked only while the store at this position works.
  ///
  /// Use this for a coordinator on the same engine as the store: while the engine fails, nobody can be told of the
  /// work. If the store does not take a result, the group is searched once more before the work begins, because the
  /// engine cannot know that another process has just stored it.
  public func guarding(_ coordinator: any FlightCoordinator, withStoreAt position: Int) -> any FlightCoordinator {
    GuardedCoordinator(coordinator: coordinator, place: places[position], group: self)
  }

  // MARK: SharedStore

  /// The bytes and the record under a key, from the first store that has them.
  public func entry(for key: CacheKey) async throws -> CacheEntry? {
    var asked = false
    var refusal: (any Error)?
    for place in places where place.mayHave(key) {
      do {
        if let entry = try await place.store.entry(for: key) {
          observer?(.hit)
          return entry
        }
        asked = true
      } catch let error as ImageError where error.sharedStoreTrouble == .passedOver {
        refusal = error
      }
    }
    if !asked, let refusal { throw refusal }
    observer?(.miss)
    return nil
  }

  /// Stores the bytes and the record of an entry in the first store that takes them.
  ///
  /// The other stores are told which bytes of the original are the newest.
  public func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    guard let bytes = entry.bytes,
      let position = places.firstIndex(where: { $0.takes(bytes.count, for: key) })
    else { return }
    try await places[position].store.store(entry, for: key)
    try await removeReplaced(by: entry.record, key, before: position)
    try await tellOthers(entry.record, of: key.originalKey, than: position)
  }

  /// Removes an outdated smaller entry under the same key from an earlier store, where lookups would find it first.
  private func removeReplaced(by record: CacheRecord, _ key: CacheKey, before position: Int) async throws {
    for place in places[..<position] where place.mayHave(key) {
      guard let old = try await place.store.entry(for: key), !record.isOlder(than: old.record) else { continue }
      try await place.store.remove(key)
    }
  }

  /// Stores a small mark in the other stores, so that they refuse older bytes too.
  private func tellOthers(_ record: CacheRecord, of original: CacheKey, than position: Int) async throws {
    guard places.count > 1 else { return }
    let news = News(generation: record.generation, response: record.response)
    let now = clock.uptime
    let isKnown = told.withLock { told in told[original].map { $0.news == news && now < $0.until } ?? false }
    guard !isKnown else { return }
    let key = CacheKey(
      original: original.original, scope: original.scope, suffixes: [CacheKey.Suffix("group", origin: .setting)])
    let mark = CacheEntry(bytes: ImageBytes([0]), record: record).bound(to: key)
    try await Self.each(places.indices.filter { $0 != position }.map { places[$0] }) {
      try await $0.store.store(mark, for: key)
    }
    told.withLock { told in
      if told.count >= Self.mostNews { told.removeAll(keepingCapacity: true) }
      told[original] = (news, now + Self.newsLife)
    }
  }

  /// Tells all stores of newer bytes or of a newer response of an original.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    try await Self.each(places) { try await $0.store.renew(response, ofOriginal: key, generation: generation) }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) async throws {
    try await Self.each(places.filter { $0.mayHave(key) }) { try await $0.store.remove(key) }
  }

  /// True when a store has an entry under a key.
  public func contains(_ key: CacheKey) async throws -> Bool {
    for place in places where place.mayHave(key) { if try await place.store.contains(key) { return true } }
    return false
  }

  /// Removes all entries of all stores.
  public func removeAll() async throws {
    told.withLock { $0 = [:] }
    try await Self.each(places) { try await $0.store.removeAll() }
  }

  /// Calls all stores, even after one has failed.
  private static func each(_ places: [Place], _ body: (Place) async throws -> Void) async throws {
    var failure: (any Error)?
    for place in places { do { try await body(place) } catch { failure = failure ?? error } }
    if let failure { throw failure }
  }
}

/// A coordinator that is not asked while the store on its engine fails.
private struct GuardedCoordinator: FlightCoordinator {
  let coordinator: any FlightCoordinator
  let place: SharedStoreGroup.Place
  let group: SharedStoreGroup

  func claim(_ key: FlightKey, within limit: Duration) async -> FlightKey.Answer {
    guard !place.store.counts.isOpen else { return .goAhead }
    let answer = await coordinator.claim(key, within: limit)
    guard case .yours(let claim) = answer, !place.mayHave(key.key), let entry = try? await group.entry(for: key.key)
    else { return answer }
    await claim.end(.stored)
    return .ready(entry)
  }
}
