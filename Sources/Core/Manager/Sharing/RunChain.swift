/// A run, together with the chain of runs that wait for it.
///
/// A plug-in that works for a run may load by the same manager. Its load must not wait for any run in the chain,
/// because they would then wait for each other for ever.
final class RunChain: Sendable {
  /// The run whose plug-in runs in the current task.
  @TaskLocal static var current: RunChain?

  // A plug-in may start loads without waiting for them, and their plug-ins may do the same. The bound keeps the chain
  // from growing without end.
  private static let greatestLength = 64

  private let outer: RunChain?
  private let length: Int

  /// Creates the chain of a run that was started from the chain `outer`.
  init(startedIn outer: RunChain?) {
    let kept = outer.flatMap { $0.length < Self.greatestLength ? $0 : nil }
    self.outer = kept
    length = (kept?.length ?? 0) + 1
  }

  /// True when `run` is this run or waits for it.
  func contains(_ run: RunChain) -> Bool {
    var link: RunChain? = self
    while let here = link {
      if here === run { return true }
      link = here.outer
    }
    return false
  }
}

extension ImageError {
  static func waitsForItself() -> ImageError {
    ImageError(
      .invalidRequest,
      "A plug-in began a load that waits for the plug-in itself and so would never end. Load it with another manager, "
        + "or with a request that does not use the plug-in.")
  }
}
