import EaselTestSupport
import Testing

/// Expects that a suite reports the rule that an implementation was made to break.
func expectBroken<Rule: RawRepresentable>(
  _ rule: Rule, in violations: [ContractViolation], sourceLocation: SourceLocation = #_sourceLocation
) where Rule.RawValue == String {
  #expect(
    violations.contains { $0.rule == rule.rawValue }, "It found \(violations).", sourceLocation: sourceLocation)
}
