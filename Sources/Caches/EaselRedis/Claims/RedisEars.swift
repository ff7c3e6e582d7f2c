import EaselCore
import EaselWire
import FoundationEssentials

/// Hears the messages of channels, on one connection for all who wait.
final class RedisEars: Sendable {
  /// The news of a channel.
  enum Event: Sendable {
    /// The server has confirmed that messages come from now on.
    case ready
    case message(String)
    /// No messages come any more.
    case lost
  }

  private struct State {
    var connection: RedisConnection?
    var connecting: Task<RedisConnection, any Error>?
    var channels: [String: [ObjectIdentifier: ClaimEar]] = [:]
    /// The channels that the server has confirmed.
    var confirmed: Set<String> = []
  }

  private let client: RedisClient
  private let state = Locked(State())

  init(_ client: RedisClient) { self.client = client }

  deinit {
    state.withLock { $0.connection.take() }?.end(WireError(.lost, "Nobody hears any more."))
  }

  /// Lets an ear hear a channel until it is stopped.
  func start(_ channel: String, _ ear: ClaimEar) async throws {
    let connection = try await ready()
    let (isNew, isConfirmed) = state.withLock { state in
      let isNew = state.channels[channel] == nil
      state.channels[channel, default: [:]][ObjectIdentifier(ear)] = ear
      return (isNew, state.confirmed.contains(channel))
    }
    if isNew { connection.post(RedisCommand("SUBSCRIBE", channel).bytes, within: .zero) }
    // The connection may have ended before the ear was there.
    if isConfirmed || !connection.isOpen { ear.hear(isConfirmed ? .ready : .lost) }
    // Nobody may wait any more.
    if ear.isOver { stop(channel, ear) }
  }

  func stop(_ channel: String, _ ear: ClaimEar) {
    ear.close()
    let (connection, isLast) = state.withLock { state in
      state.channels[channel]?[ObjectIdentifier(ear)] = nil
      let isLast = state.channels[channel]?.isEmpty ?? false
      if isLast {
        state.channels[channel] = nil
        state.confirmed.remove(channel)
      }
      return (state.connection, isLast)
    }
    if isLast { connection?.post(RedisCommand("UNSUBSCRIBE", channel).bytes, within: .zero) }
  }

  private func ready() async throws -> RedisConnection {
    let (connection, connecting) = state.withLock { state in
      if let connection = state.connection, connection.isOpen {
        return (Optional(connection), Task<RedisConnection, any Error>?.none)
      }
      let connecting =
        state.connecting
        ?? Task.detached { [client] in
          try await client.connect(
            pushes: { [weak self] push in self?.hear(push) }, closing: { [weak self] _ in self?.lose() })
        }
      state.connecting = connecting
      return (nil, connecting)
    }
    if let connection { return connection }
    let result = await connecting!.result
    state.withLock { state in
      guard state.connecting == connecting else { return }
      state.connecting = nil
      state.connection = try? result.get()
    }
    return try result.get()
  }

  private func hear(_ push: RedisReply) {
    guard let parts = push.elements, parts.count == 3, let channel = parts[1].text else { return }
    let event: Event
    switch parts[0].text {
    case "message": event = .message(parts[2].text ?? "")
    case "subscribe": event = .ready
    default: return
    }
    let ears = state.withLock { state -> [ClaimEar] in
      guard let ears = state.channels[channel] else { return [] }
      if case .ready = event { state.confirmed.insert(channel) }
      return Array(ears.values)
    }
    for ear in ears { ear.hear(event) }
  }

  private func lose() {
    let ears = state.withLock { state in
      defer { (state.channels, state.confirmed) = ([:], []) }
      return state.channels.values.flatMap(\.values)
    }
    for ear in ears { ear.hear(.lost) }
  }
}
