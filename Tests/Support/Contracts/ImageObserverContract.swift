import EaselCore
import Glibc

/// The rules of every observer.
public struct ImageObserverContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// It accepts every kind of event and returns.
    case takesEveryEvent
    /// It accepts events from many threads at the same time and returns.
    case isSafeForManyThreads
    /// It only listens: the task in which it is told of an event, which works for the load, is not cancelled by it.
    case cancelsNothing
    /// It is quick, because every load calls it: most events take less than a millisecond of the processor, and no waiting.
    case isQuick
  }

  private let observer: any ImageObserver
  private let patience: Duration

  /// Tests this observer; `patience` is the longest time that one call may take.
  public init(_ observer: any ImageObserver, patience: Duration = .ofContracts) {
    self.observer = observer
    self.patience = patience
  }

  /// Returns the rules that the observer breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    for kind in Self.kinds {
      let end = await observe([kind], load: 1)
      findings.require(end, .takesEveryEvent, "It did not come back from \(kind.name).")
    }
    guard findings.violations.isEmpty else { return findings.violations }
    await withTaskGroup(of: Void.self) { group in
      for load in 1...4 {
        group.addTask {
          let end = await observe(Self.kinds, load: UInt64(load))
          findings.require(end, .isSafeForManyThreads, "Told by several threads it did not come back.")
        }
      }
    }
    guard findings.violations.isEmpty else { return findings.violations }
    for kind in Self.kinds {
      let isCancelled = await Task.detached { [observer] in
        observer.observe(ImageEvent(kind, load: 1, key: StoreSamples.key))
        return Task.isCancelled
      }.value
      findings.require(!isCancelled, .cancelsNothing, "It cancelled the work that told it of \(kind.name).")
    }
    let cost = await Waiting.onThread { typicalCost() }
    let advice = "hand the work to another thread."
    findings.require(cost.time < Self.mostTime, .isQuick, "An event takes it \(cost.time) of the processor; \(advice)")
    findings.require(cost.waits == 0, .isQuick, "It waits at each event; \(advice)")
    return findings.violations
  }

  private static let mostTime = Duration.milliseconds(1)

  /// The median over the kinds of events, each at its cheapest.
  ///
  /// The time is that of the thread on a processor, so that other work on the machine does not count.
  private func typicalCost() -> (time: Duration, waits: Int) {
    let costs = Self.kinds.map { kind in
      let event = ImageEvent(kind, key: StoreSamples.key)
      return (0..<15).map { _ in cost { observer.observe(event) } }.reduce((.seconds(60), .max)) { least, next in
        (min(least.0, next.0), min(least.1, next.1))
      }
    }
    let middle = costs.count / 2
    return (costs.map(\.0).sorted()[middle], costs.map(\.1).sorted()[middle])
  }

  /// The time that the calling thread has a processor for `body`, and how often it waits for something else.
  private func cost(of body: () -> Void) -> (Duration, Int) {
    // RUSAGE_THREAD, which Glibc does not import.
    let thread: CInt = 1
    func usage() -> (Duration, Int) {
      var usage = rusage()
      getrusage(thread, &usage)
      let (user, system) = (usage.ru_utime, usage.ru_stime)
      let time = Duration.seconds(user.tv_sec + system.tv_sec) + .microseconds(user.tv_usec + system.tv_usec)
      return (time, usage.ru_nvcsw)
    }
    let before = usage()
    body()
    let after = usage()
    return (after.0 - before.0, after.1 - before.1)
  }

  private func observe(_ kinds: [ImageEvent.Kind], load: UInt64) async -> Bool {
    await Waiting.atMost(patience) {
      await Waiting.onThread {
        for kind in kinds { observer.observe(ImageEvent(kind, load: load, key: StoreSamples.key)) }
        return true
      }
    } ?? false
  }

  private static let kinds: [ImageEvent.Kind] = {
    let error = ImageError(.network, "The network failed.")
    return [
      .started, .cacheHit(.disk), .cacheMiss, .claimed(.transfer, .won), .loading(attempt: 1),
      .response(ResponseHead(status: 200)),
      .loaded(byteCount: 1, LoadResult.Metrics()), .loaded(byteCount: 0, nil), .notModified,
      .retrying(after: .seconds(1), error), .decoded(PixelSize(width: 1, height: 1), .zero),
      .transformed(key: "Flip(1,0)", .zero), .stored(StoreSamples.key, .all), .cacheFailed(error),
      .threadLost(error), .succeeded(.network), .failed(error),
    ]
  }()
}
