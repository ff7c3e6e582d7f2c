/// Writes the help of the program and its commands.
enum HelpText {
  static func program() -> String {
    let names = Program.commands.map { [$0.description.name, $0.description.summary] }
    return """
      easel looks at pictures, converts them, loads them and shows them.

      usage: easel COMMAND [OPTION...] [INPUT...]

      \(table(names))

      INPUT is a path, a URL, or - for standard input.
      Results go to standard output and everything else to standard error. The exit status is 0 when all went well, 1
      when some input failed, and 2 when the command line was wrong. No command replaces a file that is there already
      unless it is told to, as with --overwrite.

      Examples to begin with:

        easel info photo.jpg
        easel convert photo.jpg --resize 1200x0 -o smaller.webp
        easel convert -r photos --resize 1600 --format webp -o web
        easel thumb *.jpg --size 320 --dir thumbs
        easel get https://example.com/picture.png --output downloads
        easel view animation.gif
        easel diff before.png after.png

      'easel COMMAND --help' explains a command, with examples. 'easel --version' lists the libraries too.
      """
  }

  static func command(_ command: CommandDescription) -> String {
    var parts = ["easel \(command.name): \(command.summary)", "usage: \(command.usage)"]
    parts += command.details.map { wrapped($0, width: 100) }
    parts.append("Examples:")
    parts.append(command.examples.map { "  \($0.line)\n      \($0.meaning)" }.joined(separator: "\n"))
    parts.append("Options:")
    parts.append(table(command.allOptions.map { [spelling($0), $0.help + ($0.mayRepeat ? " May be repeated." : "")] }))
    return parts.joined(separator: "\n\n")
  }

  /// The spelling of an option in help: `-o, --output FILE`.
  static func spelling(_ option: OptionDescription) -> String {
    let letter = option.letter.map { "-\($0), " } ?? ""
    return letter + option.spelling + (option.placeholder.map { " \($0)" } ?? "")
  }

  /// Formats two columns, and wraps the second.
  static func table(_ rows: [[String]]) -> String {
    let width = rows.map { $0[0].count }.max() ?? 0
    return rows.map { row in
      let text = wrapped(row[1], width: max(40, 96 - width)).split(separator: "\n")
      let first = "  " + row[0] + String(repeating: " ", count: width - row[0].count + 2) + (text.first ?? "")
      let rest = text.dropFirst().map { String(repeating: " ", count: width + 4) + $0 }
      return ([first] + rest).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  static func wrapped(_ text: String, width: Int) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}
