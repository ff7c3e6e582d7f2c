import EaselCore

/// The rules of every observer.
public struct ImageObserverContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// It accepts every kind of event and returns.
    case takesEveryEvent
    /// It accepts events from many threads at the same time and returns.
    case isSafeForManyThreads
    /// It is quick, because every load calls it: most events can be taken in less than a millisecond.
    case isQuick
  }

  private let observer: any ImageObserver
  private let patience: Duration

  /// Creates the suite.
  public init(_ observer: any ImageObserver, patience: Duration = .seconds(120)) {
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
    let time = await Waiting.onThread { typicalTime() }
    findings.require(time < Self.mostTime, .isQuick, "An event takes it \(time); hand the work to another thread.")
    return findings.violations
  }

  private static let mostTime = Duration.milliseconds(1)

  /// The median over the kinds of events, each at its quickest, which no other work on the machine delayed.
  private func typicalTime() -> Duration {
    let clock = ContinuousClock()
    let quickest = Self.kinds.map { kind in
      let event = ImageEvent(kind, key: StoreSamples.key)
      return (0..<15).map { _ in clock.measure { observer.observe(event) } }.reduce(.seconds(60), min)
    }
    return quickest.sorted()[quickest.count / 2]
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
      .loaded(byteCount: 1, TransferMetrics()), .loaded(byteCount: 0, nil), .notModified,
      .retrying(after: .seconds(1), error), .decoded(PixelSize(width: 1, height: 1), .zero),
      .transformed(key: "Flip(1,0)", .zero), .stored(StoreSamples.key, .all), .cacheFailed(error),
      .threadLost(error), .succeeded(.network), .failed(error),
    ]
  }()
}
