import EaselCore
import EaselSupport

/// The rules of every work gate.
///
/// The suite brings small pictures, which a gate that is idle must let in.
public struct WorkGateContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// A gate that nobody is in lets work in.
    case idleGateIsOpen
    /// Work that is refused gets an `ImageError`, because the callers get the same error.
    case refusalsAreImageErrors
    /// Work that waits and is cancelled stops waiting, although no place has come free.
    case cancelledWorkLeaves
    /// Each work that leaves gives its place back, also work that was cancelled or did not run to its end.
    case placesComeFree
    /// Every call returns, also that of the closure which tells that the work is over.
    case ends
  }

  private let gate: any WorkGate
  private let patience: Duration

  /// Tests this gate; `patience` is the longest time that one call may take.
  public init(_ gate: any WorkGate, patience: Duration = .ofContracts) {
    self.gate = gate
    self.patience = patience
  }

  /// Returns the rules that the gate breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    await steps.run("Entering") {
      for work in Self.works { await passThrough(work, .idleGateIsOpen, "work", findings) }
    }
    await steps.run("Entering many times") {
      for number in 0..<Self.crowd {
        await passThrough(Self.works[0], .placesComeFree, "work that came after \(number) others left", findings)
      }
    }
    await steps.run("Entering at the same time") {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<Self.crowd { group.addTask { await enterTogether(findings) } }
      }
    }
    guard await checkCancelling(steps, findings) else { return findings.violations }
    await steps.run("Entering after cancelled work") {
      for _ in 0..<Self.crowd {
        await passThrough(Self.works[0], .placesComeFree, "work that came after cancelled work", findings)
      }
    }
    return findings.violations
  }

  /// More than a gate on one machine is likely to let in at once.
  private static let crowd = 64

  private static let works: [PixelWork] = {
    let size = PixelSize(width: 40, height: 30)
    var moving = ImageHeader(format: .gif, storedSize: size, frameCount: 3)
    moving.loopCount = 1
    return [
      PixelWork(header: ImageHeader(format: .jpeg, storedSize: size), resultSize: size, format: .webp),
      PixelWork(header: nil, resultSize: size, format: .png),
      PixelWork(header: moving, resultSize: size, frameCount: 3, format: .webp),
    ]
  }()

  private func leave(_ body: @escaping @Sendable (Bool) -> Void, _ isFinished: Bool) async {
    await Waiting.onThread { body(isFinished) }
  }

  /// Enters the gate, which must be idle, and leaves it.
  private func passThrough(_ work: PixelWork, _ rule: Rule, _ what: String, _ findings: Findings<Rule>) async {
    for isFinished in [true, false] {
      do {
        await leave(try await gate.enter(work), isFinished)
        findings.noteAnswer()
      } catch {
        findings.add(rule, "With nobody inside, \(what) was refused with \(error).")
        checkRefusal(error, findings)
      }
    }
  }

  private func enterTogether(_ findings: Findings<Rule>) async {
    do {
      await leave(try await gate.enter(Self.works[0]), true)
      findings.noteAnswer()
    } catch {
      // A gate may refuse work while too much waits.
      checkRefusal(error, findings)
    }
  }

  private func checkRefusal(_ error: any Error, _ findings: Findings<Rule>) {
    findings.require(error is ImageError, .refusalsAreImageErrors, "Work was refused with \(error).")
  }

  /// Fills the gate, and cancels what waits before anything leaves; false if that did not end.
  private func checkCancelling(_ steps: Steps<Rule>, _ findings: Findings<Rule>) async -> Bool {
    let inside = Locked<[@Sendable (Bool) -> Void]>([])
    let arrived = Watched(0)
    let tasks = (0..<Self.crowd).map { _ in
      Task(executorPreference: SpareThreads.shared) { [gate] in
        arrived.withLock { $0 += 1 }
        let leave = try await gate.enter(Self.works[0])
        inside.withLock { $0.append(leave) }
      }
    }
    await arrived.wait { $0 == Self.crowd }
    for task in tasks { task.cancel() }
    let errors = await Waiting.atMost(patience) {
      var errors: [any Error] = []
      for task in tasks { if case .failure(let error) = await task.result { errors.append(error) } }
      return errors
    }
    findings.require(errors != nil, .cancelledWorkLeaves, "Cancelled work waits until other work leaves.")
    for error in errors ?? [] where !WatchingClock.isCancellation(error) { checkRefusal(error, findings) }
    await steps.run("Leaving") { for body in inside.withLock({ $0 }) { await leave(body, false) } }
    return errors != nil
  }
}
