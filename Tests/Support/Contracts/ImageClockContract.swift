import EaselCore

/// The rules of every clock.
public struct ImageClockContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The uptime never goes back.
    case uptimeNeverGoesBack
    /// A sleep lasts at least as long as requested.
    case sleepLasts
    /// A sleep ends with `CancellationError` as soon as its task is cancelled.
    case cancelledSleepEnds
    /// A sleep of zero or negative duration ends at once.
    case noSleepEndsAtOnce
    /// A block lasts at least as long as requested.
    case blockLasts
  }

  private let clock: any ImageClock
  private let advance: @Sendable (Duration) async -> Void
  private let patience: Duration
  private let nap = Duration.milliseconds(5)

  /// Creates the suite; for a clock that does not move by itself, `advance` moves it once something sleeps.
  public init(
    _ clock: any ImageClock, patience: Duration = .ofContracts,
    advance: @escaping @Sendable (Duration) async -> Void = { _ in }
  ) {
    self.clock = clock
    self.patience = patience
    self.advance = advance
  }

  /// Returns the rules that the clock breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await checkSleeping(findings)
    await checkCancellation(findings)
    await checkBlocking(findings)
    var last = clock.uptime
    for _ in 0..<1000 {
      let now = clock.uptime
      findings.require(now >= last, .uptimeNeverGoesBack, "It went from \(last) to \(now).")
      last = now
    }
    return findings.violations
  }

  private func checkSleeping(_ findings: Findings<Rule>) async {
    let start = clock.uptime
    let slept = Task(executorPreference: SpareThreads.shared) {
      try await clock.sleep(for: nap)
      return clock.uptime
    }
    await advance(nap)
    let end = await Waiting.atMost(patience) { await slept.result }
    slept.cancel()
    switch end {
    case .success(let end)?:
      findings.require(end - start >= nap, .sleepLasts, "A sleep of \(nap) lasted \(end - start).")
    case .failure(let error)?: findings.add(.sleepLasts, "A sleep failed: \(error)")
    case nil: findings.add(.sleepLasts, "A sleep of \(nap) did not end.")
    }
    for duration in [Duration.zero, .seconds(-1)] {
      let ended = await Waiting.atMost(patience) { (try? await clock.sleep(for: duration)) != nil }
      findings.require(ended == true, .noSleepEndsAtOnce, "A sleep of \(duration) did not end well.")
    }
  }

  private func checkCancellation(_ findings: Findings<Rule>) async {
    let gate = AsyncGate()
    for cancelsFirst in [true, false] {
      let sleeper = Task(executorPreference: SpareThreads.shared) {
        if cancelsFirst { try? await gate.pass() }
        try await clock.sleep(for: .seconds(100_000))
      }
      if !cancelsFirst { await Task.yield() }
      sleeper.cancel()
      let end = await Waiting.atMost(patience) { await sleeper.result }
      switch end {
      case .failure(let error)?:
        findings.require(error is CancellationError, .cancelledSleepEnds, "It ended with \(error).")
      case .success?: findings.add(.cancelledSleepEnds, "A cancelled sleep ended as if it had lasted.")
      case nil: findings.add(.cancelledSleepEnds, "A cancelled sleep went on.")
      }
    }
  }

  private func checkBlocking(_ findings: Findings<Rule>) async {
    let start = clock.uptime
    let blocked = Task {
      await Waiting.onThread {
        clock.block(for: nap)
        return clock.uptime
      }
    }
    await advance(nap)
    let end = await Waiting.atMost(patience) { await blocked.value }
    guard let end else { return findings.add(.blockLasts, "A block of \(nap) did not end.") }
    findings.require(end - start >= nap, .blockLasts, "A block of \(nap) lasted \(end - start).")
  }
}
