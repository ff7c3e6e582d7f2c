/// Defaults for the options of a command, from a file of lines such as `quality = 75`.
///
/// One file may serve several commands: a command skips the options that only other commands have.
enum ConfigurationDefaults {
  static let option = Option<String>.text(
    "config", "FILE",
    "Take options that are not given from a file with lines such as 'quality = 75' or 'newer = true'. Options of other "
      + "commands in it are passed over.", completion: .files)

  /// Groups of options.
  ///
  /// If one of a group is given on the command line, the others in the file are ignored.
  private static let alternatives = [
    ExistingFiles.all.map(\.name),
    [OptimizeCommand.leastSimilarity.description.name, CommonOptions.quality.description.name],
  ]

  /// The arguments, with the options of their configuration file; unchanged if the command has no `--config`.
  ///
  /// The options of all commands are asked for only with a file, because making them takes a third of a short run.
  static func added(
    to arguments: Arguments, of command: CommandDescription, _ commands: @autoclosure () -> [CommandDescription],
    text: ((String) -> Result<String, ServeMistake>)? = nil
  ) throws(UsageError) -> Arguments {
    guard command.options.contains(where: { $0.name == option.description.name && $0.help == option.description.help }),
      let path = try arguments.value(option)
    else { return arguments }
    let content: String
    switch (text ?? ServeSystem.real.text)(path) {
    case .success(let text): content = text
    case .failure(let mistake): throw UsageError("--config: \(mistake.message)")
    }
    var mistakes: [String] = []
    let file = ConfigurationFile(content, path: path, mistakes: &mistakes)
    if let mistake = mistakes.first { throw UsageError(mistake) }
    var added: [Arguments.Given] = []
    for line in file.lines {
      let place = ConfigurationFile.place(path, line.number)
      guard let known = command.options.first(where: { $0.name == line.name || $0.formerName == line.name }) else {
        try check(line.name, place, commands())
        continue
      }
      guard known.name != option.description.name else {
        throw UsageError("\(place): config can only be given on the command line.")
      }
      guard !isGiven(known.name, arguments) else { continue }
      guard known.mayRepeat || !added.contains(where: { $0.name == known.name }) else {
        throw UsageError("\(place): \(known.name) may be given only once.")
      }
      if let value = try Self.value(line.value, of: known, place) {
        added.append(Arguments.Given(name: known.name, value: value, place: place))
      }
    }
    return Arguments(operands: arguments.operands, options: added + arguments.options, notes: arguments.notes)
  }

  private static func isGiven(_ name: String, _ arguments: Arguments) -> Bool {
    let names = [name] + alternatives.filter { $0.contains(name) }.flatMap { $0 }
    return arguments.options.contains { names.contains($0.name) }
  }

  /// The value of an option in the form of the command line; nil for a flag that is off.
  private static func value(_ text: String, of known: OptionDescription, _ place: String) throws(UsageError) -> String?
  {
    guard !known.takesValue else { return known.formerValues[text] ?? text }
    guard let isOn = ServeReading.truth(text) else {
      throw UsageError("\(place): \(known.name) is true or false, not '\(printable(text))'.")
    }
    return isOn ? "" : nil
  }

  /// Refuses a name that no command has.
  private static func check(_ name: String, _ place: String, _ commands: [CommandDescription]) throws(UsageError) {
    let all = commands.filter { $0.name != "serve" }.flatMap(\.options).map(\.name)
    guard !all.contains(name) else { return }
    let nearest = NearestName.of(name, among: all).map { " Did you mean \($0)?" } ?? ""
    throw UsageError("\(place): no command has an option \(printable(name)).\(nearest)")
  }
}
