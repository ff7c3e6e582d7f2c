import EaselCore
import FoundationEssentials

/// The rules of every flight coordinator.
public struct FlightCoordinatorContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// One process gets the claim, and nobody else until it ends.
    case oneHolds
    /// Everybody who waits gets the entry that the holder stored.
    case storedIsReady
    /// Everybody who waits hears that the picture is to blame.
    case failureIsHeard
    /// One of those who wait gets a claim that was abandoned.
    case abandonedIsPassedOn
    /// Who has waited long enough may go ahead.
    case waitingIsBounded
    /// Claims of different kinds and keys are independent.
    case keysAreApart
    /// A waiting task that is cancelled returns, and holds no claim that others wait for.
    case cancellationLeaves
    /// Every call returns.
    case ends
  }

  private typealias Check = @Sendable (Findings<Rule>) async throws -> Void
  private typealias Pair = (store: any SharedStore, one: any FlightCoordinator, two: any FlightCoordinator)

  private let makePair: @Sendable (any SharedStore) async throws -> (any FlightCoordinator, any FlightCoordinator)
  private let makeStore: @Sendable () async throws -> any SharedStore
  private let patience: Duration

  /// Creates the suite: `makeStore` makes an empty store, and `makePair` makes the coordinators of two processes that
  /// use it.
  public init(
    patience: Duration = .ofContracts,
    makePair: @escaping @Sendable (any SharedStore) async throws -> (any FlightCoordinator, any FlightCoordinator),
    makeStore: @escaping @Sendable () async throws -> any SharedStore
  ) {
    self.makePair = makePair
    self.makeStore = makeStore
    self.patience = patience
  }

  /// Returns the rules that the coordinator breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    for (name, rule, check) in checks {
      await steps.run(name) { await findings.attempt(rule, name) { try await check(findings) } }
    }
    return findings.violations
  }

  private var checks: [(String, Rule, Check)] {
    [
      ("Claiming", .oneHolds, checkHolding), ("Storing", .storedIsReady, checkStoring),
      ("Failing", .failureIsHeard, checkFailing), ("Abandoning", .abandonedIsPassedOn, checkAbandoning),
      ("Waiting", .waitingIsBounded, checkWaiting), ("Claiming many keys", .keysAreApart, checkKeys),
      ("Cancelling", .cancellationLeaves, checkCancelling),
    ]
  }

  private static let key = FlightKey(.variant, StoreSamples.variant)
  /// Long enough for every step of the suite, also on a machine that is busy with other tests.
  private static let long = Duration.seconds(300)
  private static let short = Duration.milliseconds(20)

  private func pair() async throws -> Pair {
    let store = try await makeStore()
    let (one, two) = try await makePair(store)
    return (store, one, two)
  }

  /// Claims a key that nobody holds.
  private func claim(
    _ key: FlightKey = Self.key, by coordinator: any FlightCoordinator, _ findings: Findings<Rule>
  ) async -> (any FlightClaim)? {
    let answer = await coordinator.claim(key, within: Self.long)
    if case .yours(let claim) = answer { return claim }
    findings.add(.oneHolds, "A free claim was answered by \(name(of: answer)).")
    return nil
  }

  private func checkHolding(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    for coordinator in [pair.one, pair.two] {
      let answer = await coordinator.claim(Self.key, within: Self.short)
      if case .yours = answer { findings.add(.oneHolds, "A claim was granted twice.") }
    }
    await claim.end(.abandoned)
    await self.claim(by: pair.two, findings)?.end(.abandoned)
    await self.claim(by: pair.one, findings)?.end(.abandoned)
  }

  private func checkStoring(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    let waiting = [pair.one, pair.two].map { coordinator in
      Task(executorPreference: SpareThreads.shared) { await coordinator.claim(Self.key, within: Self.long) }
    }
    await letStart()
    let entry = CacheEntry(bytes: ImageBytes([1, 2, 3]), record: .sample())
    try await pair.store.store(entry, for: Self.key.key)
    await claim.end(.stored)
    for task in waiting {
      switch await task.value {
      case .ready(let found):
        findings.require(
          StoreSamples.isKept(found.record, of: entry.record, under: Self.key.key)
            && StoreSamples.haveEqualBytes(found, entry), .storedIsReady,
          "The entry is not the one that was stored.")
      // A task that asks only after the end may get the claim, because lookups come before claims.
      case .yours(let claim): await claim.end(.stored)
      case let answer: findings.add(.storedIsReady, "Who waited for an entry got \(name(of: answer)).")
      }
    }
  }

  private func checkFailing(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    let waiting = Task(executorPreference: SpareThreads.shared) { await pair.two.claim(Self.key, within: Self.long) }
    await letStart()
    await claim.end(.failed(ImageError(.badImageData, "The picture is damaged.")))
    switch await waiting.value {
    case .failed(let error):
      findings.require(error.code == .badImageData, .failureIsHeard, "The error has become \(error.code).")
    case .yours(let claim): await claim.end(.abandoned)
    case let answer: findings.add(.failureIsHeard, "Who waited for a damaged picture got \(name(of: answer)).")
    }
  }

  private func checkAbandoning(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    let waiting = (0..<5).map { _ in
      Task(executorPreference: SpareThreads.shared) {
        let answer = await pair.two.claim(Self.key, within: Self.long)
        // Each of them gets the claim after the other, in any order.
        if case .yours(let claim) = answer { await claim.end(.abandoned) }
        return answer
      }
    }
    await letStart()
    await claim.end(.abandoned)
    for task in waiting {
      let answer = await task.value
      if case .yours = answer { continue }
      findings.add(.abandonedIsPassedOn, "Abandoned work was answered by \(name(of: answer)).")
    }
  }

  private func checkWaiting(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    let answer = await Waiting.atMost(.seconds(20)) { await pair.two.claim(Self.key, within: Self.short) }
    switch answer {
    case .goAhead?: break
    case nil: findings.add(.waitingIsBounded, "A wait of \(Self.short) had not ended after 20 seconds.")
    case let answer?: findings.add(.waitingIsBounded, "A wait that was over ended in \(name(of: answer)).")
    }
    await claim.end(.abandoned)
  }

  private func checkKeys(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    var claims: [any FlightClaim] = []
    for key in StoreSamples.distinct {
      for kind in FlightKey.Kind.allCases {
        let answer = await pair.one.claim(FlightKey(kind, key), within: Self.short)
        findings.noteAnswer()
        if case .yours(let claim) = answer {
          claims.append(claim)
        } else {
          findings.add(.keysAreApart, "\(kind) of \(key.readable.prefix(80)) is not free.")
        }
      }
    }
    for claim in claims {
      await claim.end(.abandoned)
      findings.noteAnswer()
    }
  }

  private func checkCancelling(_ findings: Findings<Rule>) async throws {
    let pair = try await pair()
    guard let claim = await claim(by: pair.one, findings) else { return }
    let waiting = Task(executorPreference: SpareThreads.shared) { await pair.two.claim(Self.key, within: Self.long) }
    await letStart()
    waiting.cancel()
    let answer = await Waiting.atMost(.seconds(20)) { await waiting.value }
    guard let answer else { return findings.add(.cancellationLeaves, "A cancelled task waits on.") }
    if case .yours = answer { findings.add(.cancellationLeaves, "A cancelled task got a claim that is held.") }
    await claim.end(.abandoned)
    await self.claim(by: pair.one, findings)?.end(.abandoned)
  }

  /// Lets other tasks run, so that they most likely wait; a coordinator that keeps the rules passes in any order.
  private func letStart() async { for _ in 0..<200 { await Task.yield() } }

  private func name(of answer: FlightKey.Answer) -> String {
    switch answer {
    case .yours: "a claim"
    case .ready: "an entry"
    case .failed(let error): "the error \(error.code)"
    case .goAhead: "leave to go ahead"
    }
  }
}
