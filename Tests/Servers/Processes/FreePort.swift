import EaselCore

/// Finds a port for a server that cannot be handed a socket.
enum FreePort {
  /// A port that nobody listens on; somebody else may take it before the server does.
  static func find() throws -> Int {
    let socket = try ListeningSocket()
    defer { socket.letGo() }
    return socket.port
  }
}
