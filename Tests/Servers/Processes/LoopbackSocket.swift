/// A listening socket for servers that are part of a test.
public enum LoopbackSocket {
  /// Listens on a free port; the caller closes the descriptor.
  public static func listen() throws -> (descriptor: Int32, port: Int) {
    let socket = try ListeningSocket()
    return (socket.release(), socket.port)
  }
}
