import EaselCore
import Synchronization

/// The run whose plug-in starts another load by the same manager.
///
/// Such a load must not wait for a run that waits for the plug-in, directly or through other runs: they would wait for
/// each other for ever. ``SharedRun/breakCircles(with:)`` finds such loads.
struct PluginRun: Sendable {
  /// The run whose plug-in runs in the current task.
  @TaskLocal static var current: PluginRun?

  /// The number of running loads that plug-ins have started.
  ///
  /// While it is zero, no circle is possible. The atomic order is total: if two loads close a circle at the same time,
  /// at least one of them sees the other.
  private static let loads = Atomic(0)

  static var haveLoads: Bool { loads.load(ordering: .sequentiallyConsistent) > 0 }

  static func count(loads number: Int) { loads.add(number, ordering: .sequentiallyConsistent) }

  // The reference is weak, because a plug-in may keep its load for longer than the run lasts.
  weak let run: SharedRun?

  init(_ run: SharedRun) { self.run = run }
}

extension SharedRun {
  /// Runs `body` as a plug-in of this run, so that loads which it starts by the same manager are recognized.
  func asPlugin<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    try await PluginRun.$current.withValue(PluginRun(self), operation: body)
  }

  /// Fails the loads of plug-ins that, since `place` was taken in this run, wait for themselves.
  ///
  /// Only these loads fail; all others that wait for the same runs get the result. Call it without holding a lock.
  func breakCircles(with place: RunPlace) {
    guard PluginRun.haveLoads else { return }
    if let plugin = place.plugin {
      if let run = plugin.run, run.isAwaited(by: self) { place.fail(with: .waitsForItself()) }
      return
    }
    guard let run = place.run else { return }
    for waiting in run.pluginPlaces() where waiting.plugin?.run?.isAwaited(by: self) ?? false {
      waiting.fail(with: .waitsForItself())
    }
  }

  /// True when `run` is this run, or waits for this run.
  private func isAwaited(by run: SharedRun) -> Bool {
    var isFound = false
    visitWaiting { waiting in
      isFound = waiting === run
      return !isFound
    }
    return isFound
  }

  /// The places of loads that plug-ins have started, in this run and in all runs that wait for it.
  private func pluginPlaces() -> [RunPlace] {
    var found: [RunPlace] = []
    visitWaiting { waiting in
      found += waiting.placesWithOwners.filter { $0.plugin != nil }
      return true
    }
    return found
  }

  /// Visits this run and all runs that wait for it, each once, until `body` returns false.
  private func visitWaiting(_ body: (SharedRun) -> Bool) {
    var seen: Set<ObjectIdentifier> = []
    var open = [self]
    while let run = open.popLast() {
      guard seen.insert(ObjectIdentifier(run)).inserted else { continue }
      guard body(run) else { return }
      open += run.placesWithOwners.compactMap { $0.run ?? $0.plugin?.run }
    }
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
