/// The answer to a purge: which servers have confirmed it.
public struct PurgeReport: Hashable, Sendable {
  /// The state of a server after a purge.
  public enum Standing: String, Hashable, Sendable, CaseIterable {
    /// It knows of the purge.
    case confirmed
    /// It has not answered, but serves nothing from its caches before it knows of the purge.
    case waits
    /// It has not answered, and may serve what it has, because its settings say so.
    case mayServe = "may-serve"
  }

  /// A server that was there during the last minutes.
  public struct Server: Hashable, Sendable {
    /// The name that the server gave itself.
    public let name: String
    /// The state of the server.
    public let standing: Standing
  }

  /// The number of the purge, which is higher than that of all purges before it.
  public internal(set) var number: UInt64 = 0
  /// The servers of the fleet, this one first.
  public internal(set) var servers: [Server] = []
  /// Sentences about everything that is not as it should be.
  public internal(set) var notes: [String] = []

  /// True if no server serves anything older from now on, nor after a restart.
  public var isComplete: Bool { notes.isEmpty && servers.allSatisfy { $0.standing != .mayServe } }

  /// Adds a sentence about something that is not as it should be.
  package mutating func note(_ sentence: String) { notes.append(sentence) }
}
