/// How the program ends.
enum ExitStatus: Int32, Sendable {
  /// All went well.
  case success = 0
  /// Some input failed.
  case failure = 1
  /// It was called in a wrong way.
  case usage = 2
}
