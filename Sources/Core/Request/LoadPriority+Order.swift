extension LoadPriority {
  /// The order of jobs with the same priority.
  ///
  /// It is public because `CurlLoader.Configuration.order` uses it for transfers.
  public enum Order: Hashable, Sendable {
    /// The job that has waited longest goes first.
    case firstInFirstOut
    /// The newest job goes first; suits lists that scroll.
    case lastInFirstOut
  }
}
