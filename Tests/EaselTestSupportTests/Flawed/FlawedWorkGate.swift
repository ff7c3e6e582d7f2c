import EaselCore
import EaselTestSupport

/// A work gate of eight places that breaks one rule.
final class FlawedWorkGate: WorkGate {
  private struct Strange: Error {}

  private let flaw: WorkGateContract.Rule
  private let base = FakeWorkGate(places: 8)

  init(_ flaw: WorkGateContract.Rule) { self.flaw = flaw }

  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    switch flaw {
    case .idleGateIsOpen where work.header == nil: throw ImageError(.overloaded, "It is closed.")
    case .refusalsAreImageErrors where work.header == nil: throw Strange()
    case .ends: return { _ in blockForever() }
    case .cancelledWorkLeaves:
      // A separate task does not see the cancellation.
      return try await Task { [base] in try await base.enter(work) }.value
    case .placesComeFree:
      // It counts those who have left as well.
      guard base.isFinished.count < 200 else { throw ImageError(.overloaded, "There is no place.") }
      return try await base.enter(work)
    case .idleGateIsOpen, .refusalsAreImageErrors: return try await base.enter(work)
    }
  }
}
