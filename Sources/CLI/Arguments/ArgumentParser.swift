/// Parses command lines: `--name value`, `--name=value`, `-n value`, `-nvalue`, and `--` before operands only.
struct ArgumentParser {
  let command: CommandDescription

  init(_ command: CommandDescription) { self.command = command }

  func parse(_ words: [String]) throws(UsageError) -> Arguments {
    var operands: [String] = []
    var options: [Arguments.Given] = []
    var notes: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (option, sameWord) = try option(word, &notes)
      let value = sameWord != nil ? sameWord! : try value(of: option, from: &rest)
      let current = option.formerValues[value]
      if let current { notes.append("\(option.spelling) \(value) is called \(current) now.") }
      let given = Arguments.Given(name: option.name, value: current ?? value)
      guard option.mayRepeat || !options.contains(where: { $0.name == given.name }) else {
        throw UsageError("\(option.spelling) may be given only once.")
      }
      options.append(given)
    }
    let arguments = Arguments(operands: operands, options: options, notes: notes)
    // A request for help is valid without operands.
    if !arguments.has(CommandDescription.help) { try check(operands) }
    return arguments
  }

  /// The option that a word names, and its value if the same word contains it.
  private func option(
    _ word: String, _ notes: inout [String]
  ) throws(UsageError) -> (OptionDescription, String?) {
    guard word.hasPrefix("--") else { return try shortOption(word) }
    let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let option = command.allOptions.first(where: { $0.name == name || $0.formerName == name }) else {
      throw unknown("--\(name)")
    }
    if option.formerName == name { notes.append("--\(name) is called \(option.spelling) now.") }
    guard parts.count == 2 else { return (option, nil) }
    guard option.takesValue else { throw UsageError("\(option.spelling) takes no value.") }
    return (option, String(parts[1]))
  }

  private func shortOption(_ word: String) throws(UsageError) -> (OptionDescription, String?) {
    let letters = word.dropFirst()
    guard let option = command.allOptions.first(where: { $0.letter == letters.first }) else { throw unknown(word) }
    guard letters.count > 1 else { return (option, nil) }
    guard option.takesValue else {
      throw UsageError("-\(letters.first!) takes no value. Write each option as a word of its own.")
    }
    return (option, String(letters.dropFirst()))
  }

  private func value(
    of option: OptionDescription, from rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard option.takesValue else { return "" }
    guard let value = rest.popFirst() else { throw UsageError("\(option.spelling) needs \(option.expectation).") }
    // The user probably forgot the value. The value can still be a file named --json: --output=--json.
    if command.allOptions.contains(where: { $0.spelling == value }) {
      throw UsageError("\(option.spelling) needs \(option.expectation), but \(value) is an option.")
    }
    return value
  }

  private func check(_ operands: [String]) throws(UsageError) {
    let allowed = command.operands
    if operands.count < allowed.count.lowerBound {
      let what = allowed.spelling.prefix { $0 != "." }
      throw UsageError("\(command.name) needs \(allowed.count.lowerBound > 1 ? "more of" : "at least one") \(what).")
    }
    guard operands.count > allowed.count.upperBound else { return }
    let surplus = printable(operands[allowed.count.upperBound])
    throw UsageError("\(command.name) does not take the extra argument '\(surplus)'.")
  }

  private func unknown(_ spelling: String) -> UsageError {
    let nearest = NearestName.of(spelling, among: command.allOptions.map(\.spelling))
    let hint = nearest.map { " Did you mean \($0)?" } ?? ""
    return UsageError("\(command.name) has no option \(printable(spelling)).\(hint)")
  }
}
