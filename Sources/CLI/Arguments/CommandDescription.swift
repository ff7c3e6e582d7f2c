/// What help, completions, the manual and the parser know about a command.
struct CommandDescription: Sendable {
  /// A command line to learn from, and what it does.
  struct Example: Sendable {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// The names between the command and its options: `INPUT...`.
  struct Operands: Sendable {
    let spelling: String
    let count: ClosedRange<Int>
    var completion = OptionDescription.Completion.files

    static let none = Operands(spelling: "", count: 0...0, completion: .nothing)
    static let oneInput = Operands(spelling: "INPUT", count: 1...1)
    static let inputs = Operands(spelling: "INPUT...", count: 1...Int.max)
  }

  let name: String
  /// One line: what it does.
  let summary: String
  let operands: Operands
  /// What must be known to use it well, as paragraphs.
  var details: [String] = []
  let options: [OptionDescription]
  let examples: [Example]

  /// Every command explains itself.
  static let help = Option<Bool>.flag("help", letter: "h", "Explain this command.")

  var allOptions: [OptionDescription] { options + [Self.help.description] }

  var usage: String {
    ["easel", name, "[OPTION...]", operands.spelling].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
