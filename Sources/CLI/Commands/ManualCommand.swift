/// Writes the manual page.
struct ManualCommand: Command {
  static let description = CommandDescription(
    name: "man", summary: "Write the manual page.", operands: .none, options: [],
    examples: [
      .init("easel man | man -l -", "Read it."),
      .init("easel man > ~/.local/share/man/man1/easel.1", "Install it."),
    ])

  init(_ arguments: Arguments) throws(UsageError) {}

  func run(_ console: Console) -> ExitStatus {
    console.result(ManualPage.text(for: Program.commands.map { $0.description }))
    return .success
  }
}
