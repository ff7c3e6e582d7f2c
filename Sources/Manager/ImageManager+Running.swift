import EaselCore
import EaselTiers
import EaselWorkers

/// Running loads.
extension ImageManager {
  /// True when at least one load is running.
  public var isRunning: Bool { runningCount > 0 }

  /// The number of running loads.
  public var runningCount: Int { loads.count }

  /// The number of worker threads whose plug-in has not returned in time.
  ///
  /// Each such thread was replaced, so other loads continue. If the number stays above zero, a coder, a transformer or
  /// a serializer hangs; the observer of the load was told which one. All managers of a process share their threads,
  /// and therefore this number.
  public var lostThreadCount: Int {
    let (workers, readers) = (configuration.workers, configuration.readers)
    return workers.lostCount + (readers === workers ? 0 : readers.lostCount)
  }

  /// Cancels every running load.
  public func cancelAll() { loads.cancelAll() }

  /// Closes the manager.
  ///
  /// Running loads are cancelled. Only loads with `continueInBackground` and background refreshes
  /// (`stale-while-revalidate`) may continue until the deadline. Stores that have begun are finished, and later loads
  /// fail with `cancelled`. The method returns at the deadline at the latest. By then it abandons plug-ins that hang,
  /// such as a loader that ignores its cancellation, or a cache or a coder that does not return.
  ///
  /// ```swift
  /// await manager.close(within: .seconds(5))
  /// ```
  public func close(within deadline: Duration = .seconds(10)) async {
    loads.close()
    background.close()
    loads.cancelAll { !$0.options.contains(.continueInBackground) }
    // The task is detached, so that a cancelled caller still gets the full time until the deadline.
    await Task.detached { [loads, background, storeQueues, clock = configuration.clock] in
      try? await Timeout.wait(atMost: deadline, by: clock, failure: { .cancelled() }) {
        await loads.waitUntilEmpty()
        await background.wait()
        await storeQueues.drain()
      }
      loads.cancelAll()
      background.cancelAll()
    }.value
  }
}
