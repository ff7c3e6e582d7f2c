import EaselCore
import EaselWire

/// Makes connections to one server, with user, password and database.
struct RedisConnector: Sendable {
  let address: RedisAddress
  let configuration: RedisConfiguration
  let tls: WireTLS?
  /// The most bytes that the strings of one reply may have together.
  let largestReply: Int

  /// Connects; with `pushes`, everything that the server sends is passed to that closure.
  func connect(
    pushes: (@Sendable (RedisReply) -> Void)? = nil, closing: (@Sendable (WireError) -> Void)? = nil
  ) async throws -> RedisConnection {
    let limit = largestReply
    let connection = try await RedisConnection.connect(
      to: address.onTheWire, tls: tls, within: configuration.connectTime, pushes: pushes, closing: closing
    ) { RedisReplyParser(limit: limit) }
    do {
      for greeting in greetings {
        let reply = try await connection.send(greeting.bytes, within: configuration.connectTime)
        if case .error(let complaint) = reply { throw RedisFailure(complaint, by: address.description) }
      }
      return connection
    } catch {
      connection.end(WireError(.lost, "The server refuses the connection."))
      throw error
    }
  }

  private var greetings: [RedisCommand] {
    var greetings: [RedisCommand] = []
    if let password = configuration.password {
      greetings.append(RedisCommand(["AUTH"] + [configuration.user, password].compactMap { $0 }))
    }
    if configuration.database != 0 { greetings.append(RedisCommand("SELECT", "\(configuration.database)")) }
    return greetings
  }
}
