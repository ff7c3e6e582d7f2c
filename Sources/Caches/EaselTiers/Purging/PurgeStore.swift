/// The place in which the servers of a fleet tell each other of purges.
package protocol PurgeStore: Sendable {
  /// Notes that a server is there, and how much it knows; returns the table if that is another one than the server's.
  func exchange(_ server: PurgeServer) async throws -> PurgeTable?

  /// Adds purges under a new number, which is higher than all others and at least the given one; tells all servers.
  func add(_ purges: [Purge], atLeast number: UInt64) async throws -> UInt64

  /// Adds purges that the store has lost.
  func restore(_ purges: [Purge: UInt64]) async throws

  /// Puts wider purges in place of others.
  func apply(_ folding: PurgeTable.Folding) async throws

  /// The servers that were there during the last minutes.
  func servers() async throws -> [PurgeServer]

  /// Forgets a server that ends.
  func leave(_ server: PurgeServer) async

  /// Calls `announcement` from now on if purges are added, as far as the store can tell.
  func listen(_ announcement: @escaping @Sendable () -> Void)
}

/// A server of a fleet, as it tells the others of itself.
package struct PurgeServer: Hashable, Sendable {
  /// Tells apart all servers that ever were.
  package var id: String
  /// The name for people.
  package var name: String
  /// The number of the newest purge that it knows.
  package var known: UInt64 = 0
  /// True if it serves what its caches have while it does not hear of purges.
  package var servesCutOff: Bool
  /// The time since it was there, by the clock of the store.
  package var silence = Duration.zero

  package init(id: String, name: String, servesCutOff: Bool) {
    (self.id, self.name, self.servesCutOff) = (id, name, servesCutOff)
  }
}
