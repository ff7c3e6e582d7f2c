import EaselCore

/// Completions for zsh, with the help of each option.
enum ZshCompletion {
  static func script(for commands: [CommandDescription]) -> String {
    let list = commands.map { "    '\($0.name):\(quoted($0.summary))'" }.joined(separator: "\n")
    return """
      #compdef easel
      # Completions of easel for zsh; written by 'easel completion zsh'.
      _easel() {
        local -a commands
        commands=(
      \(list)
        )
        if (( CURRENT == 2 )); then
          _describe -t commands command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT -= 1 ))
        case $command in
      \(commands.map(branch).joined(separator: "\n"))
        esac
      }
      if [[ $funcstack[1] == _easel ]]; then _easel "$@"; else compdef _easel easel; fi
      """
  }

  private static func branch(_ command: CommandDescription) -> String {
    let options = command.allOptions.map { "        \(specification($0)) \\" }.joined(separator: "\n")
    return """
          \(command.name))
            _arguments -s -S \\
      \(options)
              '*:\(quoted(command.operands.spelling.lowercased())):\(action(command.operands.completion))'
            ;;
      """
  }

  private static func specification(_ option: OptionDescription) -> String {
    let help = quoted(option.help)
    let value = option.placeholder.map { ":\(quoted($0)):\(action(option.completion))" } ?? ""
    let many = option.mayRepeat ? "*" : ""
    let mark = option.takesValue ? "=" : ""
    guard let letter = option.letter else { return "'\(many)\(option.spelling)\(mark)[\(help)]\(value)'" }
    let excluded = option.mayRepeat ? "" : "(-\(letter) \(option.spelling))"
    let plus = option.takesValue ? "+" : ""
    return "'\(excluded)\(many)'{-\(letter)\(plus),\(option.spelling)\(mark)}'[\(help)]\(value)'"
  }

  private static func action(_ completion: OptionDescription.Completion) -> String {
    switch completion {
    case .nothing: " "
    case .files: "_files"
    case .pictures: "_files -g \"*.(#i)(\(FormatNames.readExtensions.joined(separator: "|")))\""
    case .directories: "_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  /// Escapes a text for use between single quotes and brackets.
  private static func quoted(_ text: String) -> String {
    text.map { character in
      switch character {
      case "'": "'\\''"
      case "[", "]", ":": "\\\(character)"
      default: String(character)
      }
    }.joined()
  }
}
