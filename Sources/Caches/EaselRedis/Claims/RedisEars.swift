import EaselCore
import EaselSupport
import EaselWire
import FoundationEssentials

/// Hears the messages of channels, on one connection for all who wait.
final class RedisEars: Sendable {
  private let heard = HeardChannels()
  private let lane: WireLane<RedisReplyParser>

  init(_ client: RedisClient) {
    lane = WireLane(connecting: { [client, heard] in
      try await client.connect(pushes: { heard.hear($0) }, closing: { _ in heard.lose() })
    })
  }

  /// Lets an ear hear a channel until it is stopped.
  func start(_ channel: String, _ ear: ClaimEar) async throws {
    let connection = try await lane.value()
    let (isNew, isConfirmed) = heard.add(ear, to: channel)
    if isNew { connection.post(RedisCommand("SUBSCRIBE", channel).bytes, within: .zero) }
    // The connection may have ended before the ear was there.
    if isConfirmed || !connection.isOpen { ear.hear(isConfirmed ? .ready : .lost) }
    // Nobody may wait any more.
    if ear.isOver { stop(channel, ear) }
  }

  func stop(_ channel: String, _ ear: ClaimEar) {
    ear.close()
    guard heard.remove(ear, from: channel) else { return }
    lane.current?.post(RedisCommand("UNSUBSCRIBE", channel).bytes, within: .zero)
  }
}

/// The ears by the channels that they hear.
private final class HeardChannels: Sendable {
  private struct State {
    var channels: [String: [ObjectIdentifier: ClaimEar]] = [:]
    /// The channels that the server has confirmed.
    var confirmed: Set<String> = []
  }

  private let state = Locked(State())

  /// Adds an ear; tells if it is the first of its channel, and if the server has confirmed that.
  func add(_ ear: ClaimEar, to channel: String) -> (isNew: Bool, isConfirmed: Bool) {
    state.withLock { state in
      let isNew = state.channels[channel] == nil
      state.channels[channel, default: [:]][ObjectIdentifier(ear)] = ear
      return (isNew, state.confirmed.contains(channel))
    }
  }

  /// Removes an ear; true if it was the last of its channel.
  func remove(_ ear: ClaimEar, from channel: String) -> Bool {
    state.withLock { state in
      state.channels[channel]?[ObjectIdentifier(ear)] = nil
      guard state.channels[channel]?.isEmpty == true else { return false }
      state.channels[channel] = nil
      state.confirmed.remove(channel)
      return true
    }
  }

  func hear(_ push: RedisReply) {
    guard let parts = push.elements, parts.count == 3, let channel = parts[1].text else { return }
    let event: ClaimEar.Event
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

  func lose() {
    let ears = state.withLock { state in
      defer { (state.channels, state.confirmed) = ([:], []) }
      return state.channels.values.flatMap(\.values)
    }
    for ear in ears { ear.hear(.lost) }
  }
}
