/// What help, completions and the parser know about an option.
struct OptionDescription: Sendable {
  /// What a shell offers for a value.
  enum Completion: Hashable, Sendable {
    case nothing
    case files
    case directories
    case words([String])
  }

  let name: String
  var letter: Character?
  /// What stands for the value in help; nil for an option that is only there or not.
  var placeholder: String?
  /// What a value must be, as the end of a sentence: "a whole number from 1 to 64".
  var expectation = "a text"
  let help: String
  var completion = Completion.nothing
  var mayRepeat = false

  var spelling: String { "--\(name)" }

  var takesValue: Bool { placeholder != nil }
}
