import EaselCore

/// Completions for bash, without other dependencies.
enum BashCompletion {
  static func script(for commands: [CommandDescription]) -> String {
    let names = commands.map(\.name).joined(separator: " ")
    return """
      # Completions of easel for bash; written by 'easel completion bash'.
      _easel_pictures() {
        local file
        while IFS= read -r file; do
          case ${file,,} in
            \(FormatNames.readExtensions.map { "*.\($0)" }.joined(separator: " | "))) COMPREPLY+=("$file") ;;
            *) if [[ -d $file ]]; then COMPREPLY+=("$file"); fi ;;
          esac
        done < <(compgen -f -- "$1")
      }
      _easel() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="${COMP_WORDS[1]}"
        COMPREPLY=()
        if [[ $COMP_CWORD -eq 1 ]]; then
          COMPREPLY=($(compgen -W '\(names) help --help --version' -- "$current"))
          return
        fi
        # Bash takes --option=value apart.
        if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then previous="${COMP_WORDS[COMP_CWORD - 2]}"; fi
        case $command in
      \(commands.map(branch).joined(separator: "\n"))
          help) COMPREPLY=($(compgen -W '\(names)' -- "$current")) ;;
        esac
      }
      complete -o filenames -o bashdefault -F _easel easel
      """
  }

  private static func branch(_ command: CommandDescription) -> String {
    let words = command.allOptions.map(\.spelling).joined(separator: " ")
    let values = command.allOptions.filter(\.takesValue).map { option in
      let names = [option.letter.map { "-\($0)" }, option.spelling].compactMap { $0 }
      return "        \(names.joined(separator: " | "))) \(reply(option.completion)); return ;;"
    }
    return """
          \(command.name))
            case $previous in
      \(values.joined(separator: "\n"))
            esac
            if [[ $current == -* ]]; then
              COMPREPLY=($(compgen -W '\(words)' -- "$current"))
            else
              \(reply(command.operands.completion))
            fi
            ;;
      """
  }

  private static func reply(_ completion: OptionDescription.Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .files: "COMPREPLY=($(compgen -f -- \"$current\"))"
    case .pictures: "_easel_pictures \"$current\""
    case .directories: "COMPREPLY=($(compgen -d -- \"$current\"))"
    case .words(let words): "COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- \"$current\"))"
    }
  }
}
