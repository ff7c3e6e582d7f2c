import EaselCore

/// The answers of a ``ScriptableServer`` to requests for one path.
public struct ServerRoute: Sendable {
  /// Makes the answer to a request, on the connection's thread, so it may block.
  public let answer: @Sendable (ServerRequest) -> ServerScript

  /// Answers each request by a closure.
  public init(_ answer: @escaping @Sendable (ServerRequest) -> ServerScript) { self.answer = answer }

  /// Answers every request with the same script.
  public static func always(_ script: ServerScript) -> ServerRoute { ServerRoute { _ in script } }

  /// Answers each request with the next script; after the last one it repeats that.
  public static func inTurn(_ scripts: ServerScript...) -> ServerRoute {
    precondition(!scripts.isEmpty, "A route in turn needs a script.")
    return ServerRoute { scripts[min($0.visit, scripts.count - 1)] }
  }

  /// Serves a file with validators and ranges.
  public static func file(_ file: ServerFile) -> ServerRoute { ServerRoute { file.answer(to: $0) } }

  /// Serves a file that changes with each request: equal bytes, another entity tag.
  public static func fileThatChanges(_ file: ServerFile) -> ServerRoute {
    ServerRoute { request in
      var changed = file
      changed.etag = "\"version-\(request.visit)\""
      return changed.answer(to: request)
    }
  }

  /// Redirects to itself, with an increasing number in the query.
  public static var endlessRedirects: ServerRoute {
    ServerRoute { request in
      let next = (request.query.flatMap { Int($0) } ?? 0) + 1
      return .redirect(to: "\(request.path)?\(next)")
    }
  }

  /// Sends the request's body back.
  public static var echo: ServerRoute { ServerRoute { .reply(body: $0.body) } }
}
