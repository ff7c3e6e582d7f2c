import EaselCore
import EaselWire
import FoundationEssentials

/// One memcached server, with a connection that is made when needed, and made again after it was lost.
actor MemcachedServer {
  nonisolated let address: WireAddress
  private let configuration: MemcachedStore.Configuration
  private let clock = SystemClock()
  private let session: WireSession<MemcachedReplyParser>
  private var epoch: (number: UInt64, until: Duration)?

  init(_ address: WireAddress, _ configuration: MemcachedStore.Configuration) {
    self.address = address
    self.configuration = configuration
    session = WireSession(connecting: {
      try await WireConnection.connect(to: address, within: configuration.connectTime) {
        MemcachedReplyParser(largestValue: configuration.largestValue)
      }
    })
  }

  /// Sends a command, with a value if there is one, and waits for the reply about `key`.
  func send(_ command: String, _ key: String, _ flags: String, value: [UInt8]? = nil) async throws -> MemcachedReply {
    let connection = try await session.value()
    var request = Array("\(command) \(key)\(value.map { " \($0.count)" } ?? "") k \(flags)\r\n".utf8)
    if let value { request += value + [13, 10] }
    let reply = try await connection.send(request, within: configuration.answerTime)
    guard !reply.code.hasPrefix("SERVER_ERROR") else {
      throw ImageError(.cacheFailed, "memcached refuses: \(reply.code).", subject: "\(address)")
    }
    // If the reply is about another key, replies and requests no longer match.
    if let named = reply["k"], named != key {
      let error = WireError(.malformed, "memcached sent a reply about another key.")
      connection.end(error)
      throw error
    }
    return reply
  }

  // MARK: Epochs

  private nonisolated var epochName: String { "\(configuration.prefix):epoch" }

  /// The number in the names of all entries; raising it makes every machine forget these entries.
  ///
  /// It is at least the time of day, so that after memcached has evicted it, old entries never come back.
  func currentEpoch() async throws -> UInt64 {
    if let epoch, epoch.until > clock.uptime { return epoch.number }
    if let number = try await readEpoch().number { return number }
    // The machine that adds the number first decides it.
    _ = try await send("ms", epochName, "ME", value: Array("\(timeOfDay)".utf8))
    guard let number = try await readEpoch().number else {
      throw ImageError(.cacheFailed, "memcached does not keep the number of the entries.", subject: "\(address)")
    }
    return number
  }

  func raiseEpoch() async throws {
    for _ in 0..<MemcachedStore.mostAttempts {
      let (old, tag) = try await readEpoch()
      let new = max((old ?? 0) + 1, timeOfDay)
      let condition = tag.map { "C\($0)" } ?? "ME"
      guard try await send("ms", epochName, condition, value: Array("\(new)".utf8)).code == "HD" else { continue }
      note(new)
      return
    }
    throw ImageError(.cacheFailed, "Other machines cleared memcached at the same time.", subject: "\(address)")
  }

  private func readEpoch() async throws -> (number: UInt64?, tag: String?) {
    let reply = try await send("mg", epochName, "v c")
    let number = reply.value.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    if let number { note(number) }
    return (number, reply["c"])
  }

  private func note(_ number: UInt64) { epoch = (number, clock.uptime + configuration.clearDelay) }

  /// The time in microseconds; a number is never lost and set again within one microsecond.
  private var timeOfDay: UInt64 { UInt64(max(0, clock.date.timeIntervalSince1970 * 1_000_000)) }
}
