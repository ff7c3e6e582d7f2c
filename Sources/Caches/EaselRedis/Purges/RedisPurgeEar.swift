import EaselCore
import EaselSupport
import EaselWire
import EaselWorkers

/// Hears the announcements of purges, on a connection of its own.
final class RedisPurgeEar: Sendable {
  private let listener: Locked<(@Sendable () -> Void)?>
  private let session: WireSession<RedisReplyParser>

  init(_ client: RedisClient, channel: String, within limit: Duration) {
    let listener = Locked<(@Sendable () -> Void)?>(nil)
    self.listener = listener
    session = WireSession(connecting: { [client] in
      try await Self.connection(client, channel, within: limit) { listener.withLock { $0 }?() }
    })
  }

  deinit { session.end() }

  func listen(_ announcement: @escaping @Sendable () -> Void) { listener.withLock { $0 = announcement } }

  /// Makes sure that announcements are heard from now on.
  ///
  /// Without a connection, purges are learned of only when the lease is renewed.
  func open() async {
    guard listener.withLock({ $0 }) != nil else { return }
    _ = try? await session.value()
  }

  /// A connection on which the server has confirmed that announcements come.
  private static func connection(
    _ client: RedisClient, _ channel: String, within limit: Duration, _ hear: @escaping @Sendable () -> Void
  ) async throws -> RedisConnection {
    let (confirmed, confirmation) = AsyncStream<Void>.makeStream()
    let connection = try await client.connect(
      pushes: { push in
        switch push.elements?.first?.text {
        case "subscribe": confirmation.finish()
        case "message": hear()
        default: break
        }
      }, closing: { _ in confirmation.finish() })
    connection.post(RedisCommand("SUBSCRIBE", channel).bytes, within: .zero)
    do {
      try await Timeout.wait(
        atMost: limit, by: SystemClock(), failure: { ImageError(.timedOut, "Redis confirms no subscription.") }
      ) {
        for await _ in confirmed {}
      }
    } catch {
      connection.end(WireError(.lost, "The server confirms no subscription."))
      throw error
    }
    return connection
  }
}
