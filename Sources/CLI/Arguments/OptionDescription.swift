/// The description of an option, for help, completions and the parser.
struct OptionDescription: Sendable {
  /// The values that a shell suggests.
  enum Completion: Hashable, Sendable {
    case nothing
    case files
    /// Files whose names end in an extension of a readable format.
    case pictures
    case directories
    case words([String])
  }

  let name: String
  /// The former name of the option, which is still understood.
  var formerName: String?
  var letter: Character?
  /// The name of the value in help, nil for an option without a value.
  var placeholder: String?
  /// The end of an error message that describes valid values: "a whole number from 1 to 64".
  var expectation = "a text"
  let help: String
  var completion = Completion.nothing
  var mayRepeat = false
  /// The current values by their former names, which are still understood.
  var formerValues: [String: String] = [:]

  var spelling: String { "--\(name)" }

  var takesValue: Bool { placeholder != nil }
}
