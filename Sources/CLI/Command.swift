/// One thing that the program does.
protocol Command: Sendable {
  static var description: CommandDescription { get }

  /// Reads what was given, and throws what is wrong with it before anything is done.
  init(_ arguments: Arguments) throws(UsageError)

  /// Does it; it may block, since it runs on the program's own thread.
  func run(_ console: Console) -> ExitStatus
}
