/// The manual page, in troff.
enum ManualPage {
  static func text(for commands: [CommandDescription]) -> String {
    let head = """
      .TH EASEL 1 "" "easel \(escaped(Program.version))" "User Commands"
      .SH NAME
      easel \\- look at pictures, convert them, load them and show them
      .SH SYNOPSIS
      .B easel
      .I COMMAND
      .RI [ OPTION ...]
      .RI [ INPUT ...]
      .SH DESCRIPTION
      INPUT is a path, a URL, or \\- for standard input.
      Results go to standard output and everything else to standard error.
      With \\-\\-json each result is one line of JSON, also for an input that fails.
      No command replaces a file that is there already unless it is told to, as with \\-\\-overwrite.
      Progress is shown on standard error when that is a terminal and the work is long, unless \\-\\-no\\-progress is given.
      .SH COMMANDS
      """
    let tail = """
      .SH EXIT STATUS
      .TP
      .B 0
      All went well.
      .TP
      .B 1
      Some input failed, while all others are done, or easel diff found a difference.
      A file that is there already and must not be replaced is such a failure.
      .TP
      .B 2
      The command line was wrong, and nothing was done; or easel diff could not compare.
      .TP
      .B 128 + N
      Signal N ended the program, as Ctrl\\-C does with 130. Files that were not complete are gone.
      .SH ENVIRONMENT
      .TP
      .B EASEL_HELPERS
      Directories with the cards of helpers, which read more formats, with colons between them;
      /usr/share/easel/helpers and /usr/local/share/easel/helpers if not set, and no helpers if it is empty.
      .TP
      .B NO_COLOR
      When it is set and not empty, nothing is coloured, and pictures are shown in shades.
      .TP
      .B TERM
      When it is dumb, no progress is shown.
      .TP
      .B XDG_CACHE_HOME
      The directory in which easel keeps the user's cache, as the directory easel; ~/.cache if not set.
      """
    return ([head] + commands.map(section) + [tail]).joined(separator: "\n")
  }

  private static func section(_ command: CommandDescription) -> String {
    var lines = [".SS \(escaped(command.usage))", escaped(command.summary)]
    for paragraph in command.details { lines += [".PP", escaped(paragraph)] }
    for option in command.options {
      let more = option.mayRepeat ? " May be repeated." : ""
      lines += [".TP", ".B \(escaped(HelpText.spelling(option)))", escaped(option.help + more)]
    }
    lines.append(".PP")
    lines.append("Examples:")
    for example in command.examples {
      lines += [".PP", ".nf", ".RS", escaped(example.line), ".RE", ".fi", ".RS", escaped(example.meaning), ".RE"]
    }
    return lines.joined(separator: "\n")
  }

  /// Escapes the characters that troff would interpret, including a dot at the start of a line.
  private static func escaped(_ text: String) -> String {
    let safe = text.map { character in
      switch character {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      default: String(character)
      }
    }.joined()
    return safe.hasPrefix(".") ? "\\&\(safe)" : safe
  }
}
