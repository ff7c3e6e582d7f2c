/// The failure to start a real server.
public struct ServerFailure: Error, CustomStringConvertible {
  /// A description of the failure, with the program's output.
  public let description: String

  init(_ description: String) { self.description = description }
}
