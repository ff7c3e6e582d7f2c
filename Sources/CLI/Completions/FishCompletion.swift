import EaselCore

/// Completions for fish, with the help of each option.
enum FishCompletion {
  static func script(for commands: [CommandDescription]) -> String {
    var lines = [
      "# Completions of easel for fish; written by 'easel completion fish'.", "complete -c easel -f",
    ]
    for command in commands {
      lines.append(
        "complete -c easel -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))")
    }
    for command in commands {
      let condition = "-n \(quoted("__fish_seen_subcommand_from \(command.name)"))"
      if case .nothing = command.operands.completion {
      } else {
        lines.append("complete -c easel \(condition) \(arguments(command.operands.completion))")
      }
      for option in command.allOptions {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value = option.takesValue ? " -r \(arguments(option.completion))" : ""
        lines.append(
          "complete -c easel \(condition) -l \(option.name)\(letter)\(value) -d \(quoted(option.help))")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func arguments(_ completion: OptionDescription.Completion) -> String {
    switch completion {
    case .nothing: "-f"
    case .files: "-F"
    case .pictures:
      "-f -k -a \(quoted("(__fish_complete_suffix \(FormatNames.readExtensions.map { ".\($0)" }.joined(separator: " ")))"))"
    case .directories: "-f -a '(__fish_complete_directories)'"
    case .words(let words): "-f -a \(quoted(words.joined(separator: " ")))"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'\(text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined())'"
  }
}
