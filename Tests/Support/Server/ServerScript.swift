/// The steps of a ``ScriptableServer`` on a connection or in answer to a request.
public struct ServerScript: Sendable {
  /// The steps.
  public var steps: [ServerStep]
  /// True when the connection waits for another request after an answer; otherwise it is closed.
  public var keepsAlive: Bool

  /// Lists what the server sends, one step after another.
  public init(_ steps: [ServerStep], keepsAlive: Bool = false) {
    self.steps = steps
    self.keepsAlive = keepsAlive
  }

  /// A whole answer; it states its length unless `headers` state a length or a transfer coding.
  public static func reply(
    _ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []
  ) -> ServerScript {
    let framing = ["content-length", "transfer-encoding"]
    var headers = headers
    let isFramed = headers.contains { framing.contains($0.0.lowercased()) }
    if !isFramed && status != 304 && status != 204 { headers.append(("Content-Length", "\(body.count)")) }
    return ServerScript([.head(status, headers), .send(body)], keepsAlive: true)
  }

  /// A chunked answer.
  public static func chunked(_ chunks: [[UInt8]], headers: [(String, String)] = []) -> ServerScript {
    let parts = chunks.filter { !$0.isEmpty }.map(ServerStep.chunk)
    let head = ServerStep.head(200, headers + [("Transfer-Encoding", "chunked")])
    return ServerScript([head] + parts + [.chunk([])], keepsAlive: true)
  }

  /// A redirect.
  public static func redirect(to location: String, status: Int = 302) -> ServerScript {
    .reply(status, headers: [("Location", location)])
  }

  /// Accepts the connection and sends nothing, not even in a TLS handshake, until the client leaves.
  public static var silence: ServerScript { ServerScript([.waitForHangup]) }
}

extension ServerScript: ExpressibleByArrayLiteral {
  /// Creates a script after which the connection is closed.
  public init(arrayLiteral elements: ServerStep...) { self.init(elements) }
}
