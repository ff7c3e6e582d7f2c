/// A connection on which many callers send requests, whose replies come back in the same order.
package struct WireConnection<Parser: WireParser>: Sendable {
  private let pipe: WirePipe

  /// Connects to an engine, on a thread of its own.
  ///
  /// With `pushes`, what the engine sends answers no requests, but goes there; it is called on the loop's thread and
  /// must be quick. So is `closing`, once, when the connection has ended.
  package static func connect(
    to address: WireAddress, tls: WireTLS? = nil, within limit: Duration,
    pushes: (@Sendable (Parser.Reply) -> Void)? = nil, closing: (@Sendable (WireError) -> Void)? = nil,
    parser: @escaping @Sendable () -> sending Parser
  ) async throws(WireError) -> WireConnection {
    let pushes = pushes.map { pushes in { @Sendable (push: any Sendable) in pushes(typed(push)) } }
    return WireConnection(
      pipe: try await .connect(to: address, tls: tls, within: limit, pushes: pushes, closing: closing) { parser() })
  }

  /// True until the connection has ended.
  package var isOpen: Bool { pipe.isOpen }

  /// Sends a request and waits for its reply.
  package func send(_ request: [UInt8], within limit: Duration) async throws -> Parser.Reply {
    Self.typed(try await pipe.send(request, within: limit))
  }

  /// Sends a request whose reply is read and dropped.
  ///
  /// On a connection with `pushes` there are no replies, and no limit counts.
  package func post(_ request: [UInt8], within limit: Duration) { pipe.post(request, within: limit) }

  /// Ends the connection; whoever waits for a reply gets the error.
  package func end(_ failure: WireError) { pipe.end(failure) }

  private static func typed(_ reply: any Sendable) -> Parser.Reply {
    // The parser of this type has made it.
    reply as! Parser.Reply
  }
}
