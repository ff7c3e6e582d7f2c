import EaselCore

extension FakeLoader {
  /// One time that the loader was asked.
  public struct Call: Sendable {
    /// How far a call is.
    public enum Phase: Hashable, Sendable {
      /// It runs.
      case running
      /// It returned.
      case finished
      /// It threw, for whatever reason.
      case failed
    }

    /// What was asked for.
    public let request: LoadRequest
    /// How far it is.
    public internal(set) var phase = Phase.running
    /// Whether its task was cancelled while it ran.
    public internal(set) var isCancelled = false
    /// The priorities that it had, the last one last.
    public internal(set) var priorities: [LoadPriority] = []
  }
}
