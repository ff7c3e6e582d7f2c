/// A violation of a protocol's rule by an implementation.
public struct ContractViolation: Hashable, Sendable, CustomStringConvertible {
  /// The name of the rule.
  public let rule: String
  /// A sentence that describes the violation.
  public let message: String

  /// Names the rule that was broken, and says how.
  public init(rule: String, message: String) {
    self.rule = rule
    self.message = message
  }

  /// The rule and the sentence.
  public var description: String { "\(rule): \(message)" }
}
