/// Why a real server could not be started.
public struct ServerFailure: Error, CustomStringConvertible {
  /// What happened, and what the program said.
  public let description: String

  init(_ description: String) { self.description = description }
}
