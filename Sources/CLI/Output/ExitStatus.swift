/// The exit status of the program.
enum ExitStatus: Int32, Sendable {
  /// Everything succeeded.
  case success = 0
  /// Some input failed.
  case failure = 1
  /// The command line was wrong.
  case usage = 2
}
