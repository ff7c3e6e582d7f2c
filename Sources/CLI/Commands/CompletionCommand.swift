/// Writes a shell's completion script.
struct CompletionCommand: Command {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  static let description = CommandDescription(
    name: "completion", summary: "Write completions for a shell.",
    operands: CommandDescription.Operands(
      spelling: "SHELL", count: 1...1, completion: .words(Shell.allCases.map(\.rawValue))),
    details: ["SHELL is bash, zsh or fish."],
    options: [],
    examples: [
      .init(
        "easel completion bash > ~/.local/share/bash-completion/completions/easel", "For bash, in every new shell."),
      .init("easel completion zsh > ~/.zfunc/_easel", "For zsh, with ~/.zfunc in fpath."),
      .init("easel completion fish > ~/.config/fish/completions/easel.fish", "For fish."),
    ])

  private let shell: Shell

  init(_ arguments: Arguments) throws(UsageError) {
    guard let shell = Shell(rawValue: arguments.operands[0]) else {
      throw UsageError("completion needs bash, zsh or fish, not '\(printable(arguments.operands[0]))'.")
    }
    self.shell = shell
  }

  func run(_ console: Console) -> ExitStatus {
    let commands = Program.commands.map { $0.description }
    switch shell {
    case .bash: console.result(BashCompletion.script(for: commands))
    case .zsh: console.result(ZshCompletion.script(for: commands))
    case .fish: console.result(FishCompletion.script(for: commands))
    }
    return .success
  }
}
