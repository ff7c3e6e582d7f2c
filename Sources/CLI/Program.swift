import EaselEverything
import Glibc

/// The program `easel`: finds the command and runs it.
@main
enum Program {
  /// The version, which is the only line of the file VERSION.
  static let version = String(decoding: PackageResources.VERSION.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)

  static let commands: [any Command.Type] = [
    InfoCommand.self, DecodeCommand.self, ConvertCommand.self, ThumbCommand.self, ThumbnailCommand.self,
    OptimizeCommand.self, MontageCommand.self, WatchCommand.self, GetCommand.self, DiffCommand.self,
    SiteCommand.self, CacheCommand.self, ServeCommand.self, SignCommand.self, PurgeCommand.self, WarmCommand.self,
    StatsCommand.self, ViewCommand.self, FormatsCommand.self, CompletionCommand.self, ManualCommand.self,
  ]

  static func main() {
    // In a process that the program has started for its sandbox, this call does not return.
    Sandbox.runIfWorker(coders: [TextCoder()] + CoderRegistry.everything.coders)
    // A broken connection must not end the program. BrokenPipe handles results that nobody reads.
    signal(SIGPIPE, SIG_IGN)
    // If a file exceeds the size limit of the system, writing fails instead of ending the program.
    signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    let status = run(Array(CommandLine.arguments.dropFirst()), console)
    guard !console.hasLostResults else {
      console.note("easel: the results could not be written to standard output.")
      exit(ExitStatus.failure.rawValue)
    }
    exit(status.rawValue)
  }

  static func run(_ words: [String], _ console: Console) -> ExitStatus {
    do throws(UsageError) {
      return try runCommand(words, console)
    } catch {
      console.note("easel: \(error.message)")
      console.note("Try: easel \(words.first.flatMap { command($0) }.map { "\($0.description.name) " } ?? "")--help")
      return .usage
    }
  }

  private static func runCommand(_ words: [String], _ console: Console) throws(UsageError) -> ExitStatus {
    guard let name = words.first else {
      console.note(HelpText.program())
      return .usage
    }
    switch name {
    case "--help", "-h": console.result(HelpText.program())
    case "--version":
      let rest = words.dropFirst()
      guard rest.isEmpty || Array(rest) == ["--json"] else {
        throw UsageError("--version takes only --json, not '\(printable(rest.first!))'.")
      }
      console.result(rest.isEmpty ? VersionText.lines : VersionText.json.text)
    case "help": console.result(try help(words.dropFirst()))
    default:
      let command = try known(name)
      let given = try ArgumentParser(command.description).parse(Array(words.dropFirst()))
      let arguments = try ConfigurationDefaults.added(
        to: given, of: command.description, commands.map { $0.description })
      guard !arguments.has(CommandDescription.help) else {
        console.result(HelpText.command(command.description))
        return .success
      }
      console.speak(of: command.description)
      for note in arguments.notes { console.note("easel: \(note)") }
      return try command.init(arguments).run(console)
    }
    return .success
  }

  private static func help(_ words: ArraySlice<String>) throws(UsageError) -> String {
    guard let name = words.first else { return HelpText.program() }
    return HelpText.command(try known(name).description)
  }

  private static func command(_ name: String) -> (any Command.Type)? {
    commands.first { $0.description.name == name }
  }

  private static func known(_ name: String) throws(UsageError) -> any Command.Type {
    guard let command = command(name) else { throw unknown(name) }
    return command
  }

  private static func unknown(_ name: String) -> UsageError {
    if name.hasPrefix("-") { return UsageError("\(printable(name)) must follow a command.") }
    let nearest = NearestName.of(name, among: commands.map { $0.description.name })
    let hint = nearest.map { " Did you mean \($0)?" } ?? ""
    return UsageError("There is no command '\(printable(name))'.\(hint)")
  }
}
