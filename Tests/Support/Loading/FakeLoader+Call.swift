import EaselCore

extension FakeLoader {
  /// One recorded call of the loader.
  public struct Call: Sendable {
    /// The state of a call.
    public enum Phase: Hashable, Sendable {
      /// The call is running.
      case running
      /// The call has returned.
      case finished
      /// The call has thrown an error.
      case failed
    }

    /// The request.
    public let request: LoadRequest
    /// The state of the call.
    public internal(set) var phase = Phase.running
    /// True when the task was cancelled while the call ran.
    public internal(set) var isCancelled = false
    /// The priorities of the call, the current one last.
    public internal(set) var priorities: [LoadPriority] = []
  }
}
