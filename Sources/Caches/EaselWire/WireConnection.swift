/// A connection on which many callers send requests; the replies come back in the same order.
package struct WireConnection<Parser: WireParser>: Sendable {
  private let pipe: WirePipe

  /// Connects to an engine, on a separate thread.
  ///
  /// With `pushes`, everything that the engine sends is passed to that closure, and not taken as replies. The loop's
  /// thread calls it, so it must be quick. The same is true for `closing`, which is called once when the connection has
  /// ended.
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
  /// On a connection with `pushes` there are no replies, and the limit is ignored.
  package func post(_ request: [UInt8], within limit: Duration) { pipe.post(request, within: limit) }

  /// Ends the connection; all who wait for a reply get the error.
  package func end(_ failure: WireError) { pipe.end(failure) }

  private static func typed(_ reply: any Sendable) -> Parser.Reply {
    // The connection's parser has this type, and it made the reply.
    reply as! Parser.Reply
  }
}
