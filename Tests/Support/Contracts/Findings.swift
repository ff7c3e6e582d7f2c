import EaselCore
import EaselSupport

/// Collects the violations that a contract suite finds.
package final class Findings<Rule: RawRepresentable & Sendable>: Sendable where Rule.RawValue == String {
  private let found = Locked<[ContractViolation]>([])
  private let answered = Locked(0)

  package var violations: [ContractViolation] { found.withLock { $0 } }

  package init() {}

  /// How many answers of the plug-in were noted.
  var answers: Int { answered.withLock { $0 } }

  /// Notes that a call of the plug-in returned.
  ///
  /// Steps with hundreds of calls note each, so that each has time of its own.
  package func noteAnswer() { answered.withLock { $0 += 1 } }

  /// A few examples of each rule say as much as hundreds.
  private static var mostPerRule: Int { 3 }

  package func add(_ rule: Rule, _ message: String) {
    found.withLock { found in
      guard found.count(where: { $0.rule == rule.rawValue }) < Self.mostPerRule else { return }
      found.append(ContractViolation(rule: rule.rawValue, message: message))
    }
  }

  package func require(_ holds: Bool, _ rule: Rule, _ message: @autoclosure () -> String) {
    if !holds { add(rule, message()) }
  }

  /// The result of `body`; nil if it throws, which is recorded as a violation.
  @discardableResult
  func attempt<Result>(_ rule: Rule, _ action: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      add(rule, "\(action) failed: \(error)")
      return nil
    }
  }

  /// The result of `body`; nil if it throws, which is recorded as a violation.
  @discardableResult
  func attempt<Result: Sendable>(
    _ rule: Rule, _ action: String, awaiting body: @Sendable () async throws -> Result
  ) async -> Result? {
    do {
      return try await body()
    } catch {
      add(rule, "\(action) failed: \(error)")
      return nil
    }
  }
}
