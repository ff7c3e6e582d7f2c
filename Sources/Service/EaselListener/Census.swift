import CEaselListener
import EaselCore
import EaselSupport
import Glibc

/// The part of a client's address that counts as one client.
struct Origin: Hashable, Sendable {
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
final class Census: Sendable {
  private struct State {
    var most: Int
    var mostOfOrigin: Int?
    var total = 0
    var origins: [Origin: Int] = [:]
  }

  /// The answer to a connection that wants to come in.
  enum Verdict {
    case welcome
    case tooMany
    case tooManyOfOrigin
  }

  private let state: Locked<State>
  /// The connections over the limit that may wait at a time until their clients have read why.
  let mostTurnedAway = min(256, max(4, Census.descriptors / 8))

  init(_ settings: ListenerSettings) {
    state = Locked(State(most: Self.most(settings), mostOfOrigin: settings.connectionsPerAddress))
  }

  /// The most connections that may be open at a time.
  var most: Int { state.withLock { $0.most } }

  /// Takes other limits; connections over them stay until they end.
  func follow(_ settings: ListenerSettings) {
    let most = Self.most(settings)
    state.withLock { ($0.most, $0.mostOfOrigin) = (most, settings.connectionsPerAddress) }
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
  func enter(_ origin: Origin?) -> Verdict {
    state.withLock { state in
      if let origin, let mostOfOrigin = state.mostOfOrigin {
        guard state.origins[origin, default: 0] < mostOfOrigin else { return .tooManyOfOrigin }
      }
      guard state.total < state.most else { return .tooMany }
      // Also without a limit, because there may be one when the connection ends.
      if let origin { state.origins[origin, default: 0] += 1 }
      state.total += 1
      return .welcome
    }
  }

  func leave(_ origin: Origin?) {
    state.withLock { state in
      state.total -= 1
      guard let origin, let count = state.origins[origin] else { return }
      state.origins[origin] = count > 1 ? count - 1 : nil
    }
  }
}
