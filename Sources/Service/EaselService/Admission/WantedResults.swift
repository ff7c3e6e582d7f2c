import EaselCore

/// The results that clients wait for, so that work which several of them want counts for each of them.
///
/// A result is made once for all. Those who ask for it later join the work without the gate being asked again.
struct WantedResults {
  private struct Entry {
    /// One for each request.
    var clients: [AdmissionClient] = []
    /// The work on the result, while it waits for a place.
    var waiter: AdmissionWaiter?
  }

  private var entries: [CacheKey: Entry] = [:]

  var count: Int { entries.count }

  /// Notes that a client wants a result; returns the work on it if that waits.
  mutating func add(_ client: AdmissionClient, wanting result: CacheKey) -> AdmissionWaiter? {
    entries[result, default: Entry()].clients.append(client)
    return entries[result]?.waiter
  }

  mutating func remove(_ client: AdmissionClient, wanting result: CacheKey) {
    guard let index = entries[result]?.clients.firstIndex(of: client) else { return }
    entries[result]?.clients.remove(at: index)
    removeIfIdle(result)
  }

  /// True if several requests want a result, or if it waits to be made.
  func isShared(_ result: CacheKey) -> Bool {
    entries[result].map { $0.clients.count > 1 || $0.waiter != nil } ?? false
  }

  /// Notes who makes a result, and returns the clients that wait for it.
  mutating func begin(_ waiter: AdmissionWaiter, for result: CacheKey) -> [AdmissionClient] {
    entries[result, default: Entry()].waiter = waiter
    return entries[result]?.clients ?? []
  }

  /// Notes that the work on a result waits no more.
  mutating func end(_ waiter: AdmissionWaiter, for result: CacheKey) {
    guard entries[result]?.waiter === waiter else { return }
    entries[result]?.waiter = nil
    removeIfIdle(result)
  }

  private mutating func removeIfIdle(_ result: CacheKey) {
    if let entry = entries[result], entry.clients.isEmpty, entry.waiter == nil { entries[result] = nil }
  }
}
