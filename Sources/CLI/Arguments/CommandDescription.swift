/// The description of a command, for help, completions, the manual and the parser.
struct CommandDescription: Sendable {
  /// An example command line and its meaning.
  struct Example: Sendable {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  /// The operands in the usage line, such as `INPUT...`.
  struct Operands: Sendable {
    let spelling: String
    let count: ClosedRange<Int>
    var completion = OptionDescription.Completion.files

    static let none = Operands(spelling: "", count: 0...0, completion: .nothing)
    static let oneInput = Operands(spelling: "INPUT", count: 1...1, completion: .pictures)
    static let inputs = Operands(spelling: "INPUT...", count: 1...Int.max, completion: .pictures)
  }

  let name: String
  /// One line that describes the command.
  let summary: String
  let operands: Operands
  /// Paragraphs with what users need to know.
  var details: [String] = []
  let options: [OptionDescription]
  let examples: [Example]

  /// The option that prints a command's help; every command has it.
  static let help = Option<Bool>.flag("help", letter: "h", "Print this help.")

  var allOptions: [OptionDescription] { options + [Self.help.description] }

  var usage: String {
    ["easel", name, "[OPTION...]", operands.spelling].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
