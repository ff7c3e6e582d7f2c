/// The outcome of work on one input that did not fail.
struct BatchOutcome: Sendable {
  enum Kind: Sendable {
    case written
    /// The input was skipped, for instance because its result exists already.
    case passedOver
  }

  let kind: Kind
  let json: JSON
  /// A line for people; empty if the result is a part of a larger one.
  let text: String
  /// The sizes in bytes of the input and of the written file.
  var bytes = (before: 0, after: 0)

  static func written(_ json: JSON, _ text: String, bytes: (before: Int, after: Int)) -> BatchOutcome {
    BatchOutcome(kind: .written, json: json, text: text, bytes: bytes)
  }

  /// `reason` follows the name of the input, as in "is there already".
  static func passedOver(_ input: String, _ output: String, _ reason: String) -> BatchOutcome {
    BatchOutcome(
      kind: .passedOver,
      json: ["input": .string(Input.name(input)), "output": .string(output), "skipped": .string(reason)],
      text: "\(printable(output)): skipped, \(reason)")
  }
}
