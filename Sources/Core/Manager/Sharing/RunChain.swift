/// A run, and the runs that wait for it one through another.
///
/// A plug-in that works for a run may load by the same manager. What it then asks for must be none of the runs that wait
/// for it, or they would wait for one another for ever.
final class RunChain: Sendable {
  /// The run for which the plug-in works that runs in this task.
  @TaskLocal static var current: RunChain?

  // Plug-ins may also start loads without waiting for them, whose plug-ins do so too: nothing is to grow with these.
  private static let greatestLength = 64

  private let outer: RunChain?
  private let length: Int

  /// Creates the chain of a run that something in the chain `outer` started.
  init(startedIn outer: RunChain?) {
    let kept = outer.flatMap { $0.length < Self.greatestLength ? $0 : nil }
    self.outer = kept
    length = (kept?.length ?? 0) + 1
  }

  /// Whether a run waits for this one, or is it.
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
      "A plug-in asked its manager for what waits for the plug-in itself. Load it by another manager, or by a request "
        + "without the plug-in.")
  }
}
