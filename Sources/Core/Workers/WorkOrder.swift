/// The order of jobs with the same priority.
public enum WorkOrder: Hashable, Sendable {
  /// The job that has waited longest goes first.
  case firstInFirstOut
  /// The newest job goes first; suits lists that scroll.
  case lastInFirstOut
}
