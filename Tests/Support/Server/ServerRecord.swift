import EaselCore

/// The requests, connections and threads of a server.
struct ServerRecord: Sendable {
  var requests: [ServerRequest] = []
  var visits: [String: Int] = [:]
  var routes: [String: ServerRoute] = [:]
  var connections = 0
  var open: [Int: ServerSocket] = [:]
  var threads = 0
  var isClosing = false

  mutating func remember(_ request: ServerRequest, from connection: Int) -> ServerRequest {
    var request = request
    request.connection = connection
    request.visit = visits[request.path, default: 0]
    visits[request.path] = request.visit + 1
    requests.append(request)
    return request
  }

  /// The route of a path: an exact match, else the longest match that ends in a star.
  func route(for path: String) -> ServerRoute? {
    if let exact = routes[path] { return exact }
    let open = routes.keys.filter { $0.hasSuffix("*") && path.hasPrefix($0.dropLast()) }
    return open.max { $0.utf8.count < $1.utf8.count }.flatMap { routes[$0] }
  }
}
