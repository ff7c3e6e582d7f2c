import EaselCore
import EaselSupport
import EaselWire
import FoundationEssentials

/// Receives the messages of channels, on one connection for all who wait.
final class RedisSubscriptions: Sendable {
  private let subscribed = SubscribedChannels()
  private let session: WireSession<RedisReplyParser>

  init(_ client: RedisClient) {
    session = WireSession(connecting: { [client, subscribed] in
      try await client.connect(pushes: { subscribed.receive($0) }, closing: { _ in subscribed.lose() })
    })
  }

  /// Passes the messages of a channel to a subscriber until it is stopped.
  func start(_ channel: String, _ subscriber: ClaimSubscriber) async throws {
    let connection = try await session.value()
    let (isNew, isConfirmed) = subscribed.add(subscriber, to: channel)
    if isNew { connection.post(RedisCommand("SUBSCRIBE", channel).bytes, within: .zero) }
    // The connection may have ended before the subscriber was added.
    if isConfirmed || !connection.isOpen { subscriber.receive(isConfirmed ? .ready : .lost) }
    // The subscriber may already have stopped waiting.
    if subscriber.isOver { stop(channel, subscriber) }
  }

  func stop(_ channel: String, _ subscriber: ClaimSubscriber) {
    subscriber.close()
    guard subscribed.remove(subscriber, from: channel) else { return }
    session.current?.post(RedisCommand("UNSUBSCRIBE", channel).bytes, within: .zero)
  }
}

/// The subscribers of each channel.
private final class SubscribedChannels: Sendable {
  private struct State {
    var channels: [String: [ObjectIdentifier: ClaimSubscriber]] = [:]
    /// The channels whose subscription the server has confirmed.
    var confirmed: Set<String> = []
  }

  private let state = Locked(State())

  /// Adds a subscriber; returns whether it is the channel's first, and whether the server has confirmed the channel.
  func add(_ subscriber: ClaimSubscriber, to channel: String) -> (isNew: Bool, isConfirmed: Bool) {
    state.withLock { state in
      let isNew = state.channels[channel] == nil
      state.channels[channel, default: [:]][ObjectIdentifier(subscriber)] = subscriber
      return (isNew, state.confirmed.contains(channel))
    }
  }

  /// Removes a subscriber; returns true if it was the last of its channel.
  func remove(_ subscriber: ClaimSubscriber, from channel: String) -> Bool {
    state.withLock { state in
      state.channels[channel]?[ObjectIdentifier(subscriber)] = nil
      guard state.channels[channel]?.isEmpty == true else { return false }
      state.channels[channel] = nil
      state.confirmed.remove(channel)
      return true
    }
  }

  func receive(_ push: RedisReply) {
    guard let parts = push.elements, parts.count == 3, let channel = parts[1].text else { return }
    let event: ClaimSubscriber.Event
    switch parts[0].text {
    case "message": event = .message(parts[2].text ?? "")
    case "subscribe": event = .ready
    default: return
    }
    let subscribers = state.withLock { state -> [ClaimSubscriber] in
      guard let subscribers = state.channels[channel] else { return [] }
      if case .ready = event { state.confirmed.insert(channel) }
      return Array(subscribers.values)
    }
    for subscriber in subscribers { subscriber.receive(event) }
  }

  func lose() {
    let subscribers = state.withLock { state in
      defer { (state.channels, state.confirmed) = ([:], []) }
      return state.channels.values.flatMap(\.values)
    }
    for subscriber in subscribers { subscriber.receive(.lost) }
  }
}
