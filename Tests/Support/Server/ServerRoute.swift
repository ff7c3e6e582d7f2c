import EaselCore

/// How a ``ScriptableServer`` answers the requests for one path.
public struct ServerRoute: Sendable {
  /// What to do for a request; called on a thread of the connection, so that it may block.
  public let answer: @Sendable (ServerRequest) -> ServerScript

  /// Creates a route.
  public init(_ answer: @escaping @Sendable (ServerRequest) -> ServerScript) { self.answer = answer }

  /// The same for each request.
  public static func always(_ script: ServerScript) -> ServerRoute { ServerRoute { _ in script } }

  /// One script for each request, the last one for all that follow.
  public static func inTurn(_ scripts: ServerScript...) -> ServerRoute {
    precondition(!scripts.isEmpty, "A route in turn needs a script.")
    return ServerRoute { scripts[min($0.visit, scripts.count - 1)] }
  }

  /// A file with validators and ranges.
  public static func file(_ file: ServerFile) -> ServerRoute { ServerRoute { file.answer(to: $0) } }

  /// A file that is another one for each request: equal bytes, another entity tag.
  public static func fileThatChanges(_ file: ServerFile) -> ServerRoute {
    ServerRoute { request in
      var changed = file
      changed.etag = "\"version-\(request.visit)\""
      return changed.answer(to: request)
    }
  }

  /// Redirects to itself, with a number in the query that grows.
  public static var endlessRedirects: ServerRoute {
    ServerRoute { request in
      let next = (request.query.flatMap { Int($0) } ?? 0) + 1
      return .redirect(to: "\(request.path)?\(next)")
    }
  }

  /// Sends back the body that came.
  public static var echo: ServerRoute { ServerRoute { .reply(body: $0.body) } }
}
