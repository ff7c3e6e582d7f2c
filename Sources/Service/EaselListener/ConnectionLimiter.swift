import CEaselListener
import EaselCore
import EaselSupport
import Glibc

/// The part of a client's address that counts as one client.
struct ClientAddress: Hashable, Sendable {
  private let high: UInt64

  /// Nil for a Unix socket.
  init?(_ peer: easel_peer) {
    guard peer.version != 0 else { return nil }
    let isFour = peer.version == 4
    let number = withUnsafeBytes(of: peer.bytes) { bytes in
      bytes[..<(isFour ? 4 : 8)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    // No prefix of IPv6 that is in use begins with zeros, so the two kinds do not meet.
    high = number
  }
}

/// The numbers of connections over all threads of a listener.
final class ConnectionLimiter: Sendable {
  private struct State {
    var most: Int
    var mostOfClient: Int?
    var total = 0
    var clients: [ClientAddress: Int] = [:]
  }

  /// The answer to a connection that wants to come in.
  enum Verdict {
    case welcome
    case tooMany
    case tooManyOfClient
  }

  private let state: Locked<State>
  /// The connections over the limit that may wait at a time until their clients have read why.
  let mostTurnedAway = min(256, max(4, ConnectionLimiter.descriptors / 8))

  init(_ settings: ListenerSettings) {
    state = Locked(State(most: Self.most(settings), mostOfClient: settings.connectionsPerAddress))
  }

  /// The most connections that may be open at a time.
  var most: Int { state.withLock { $0.most } }

  /// Takes other limits; connections over them stay until they end.
  func follow(_ settings: ListenerSettings) {
    let most = Self.most(settings)
    state.withLock { ($0.most, $0.mostOfClient) = (most, settings.connectionsPerAddress) }
  }

  private static func most(_ settings: ListenerSettings) -> Int {
    let all = descriptors
    // With few, each part of the process gets some.
    return min(settings.connections, max(1, all - min(settings.reservedDescriptors, all / 4 * 3)))
  }

  /// The descriptors that the process may open.
  private static var descriptors: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  /// Counts a connection if it may stay.
  func enter(_ client: ClientAddress?) -> Verdict {
    state.withLock { state in
      if let client, let mostOfClient = state.mostOfClient {
        guard state.clients[client, default: 0] < mostOfClient else { return .tooManyOfClient }
      }
      guard state.total < state.most else { return .tooMany }
      // Also without a limit, because there may be one when the connection ends.
      if let client { state.clients[client, default: 0] += 1 }
      state.total += 1
      return .welcome
    }
  }

  func leave(_ client: ClientAddress?) {
    state.withLock { state in
      state.total -= 1
      guard let client, let count = state.clients[client] else { return }
      state.clients[client] = count > 1 ? count - 1 : nil
    }
  }
}
