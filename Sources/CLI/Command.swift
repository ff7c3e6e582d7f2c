/// A command of the program.
protocol Command: Sendable {
  static var description: CommandDescription { get }

  /// Reads the arguments; throws if they contain a mistake, before any work begins.
  init(_ arguments: Arguments) throws(UsageError)

  /// Runs the command; it may block, because it runs on the program's own thread.
  func run(_ console: Console) -> ExitStatus
}
