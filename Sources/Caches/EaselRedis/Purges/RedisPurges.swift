import EaselCore
import EaselTiers
import EaselWire

/// Tells servers of each other's purges, over the Redis that they share.
///
/// The table may be lost with Redis: servers bring back what they know.
final class RedisPurges: PurgeStore {
  /// The time after which a server that is not there any more is forgotten.
  private static let longestSilence = Duration.seconds(600)
  /// The most bytes of a table.
  private static let largestTable = 64 << 20

  private let client: RedisClient
  private let table: String
  private let roster: String
  private let channel: String
  private let ear: RedisPurgeEar

  init(_ store: RedisStore) throws {
    // A connection of its own, on which no large body is in the way.
    client = try RedisClient(store.configuration.servers, largestReply: Self.largestTable)
    // The braces keep both in one slot of a cluster.
    let start = "\(store.configuration.prefix):{purges}"
    (table, roster, channel) = ("\(start):t", "\(start):s", "\(start):c")
    ear = RedisPurgeEar(client, channel: channel, within: store.configuration.servers.connectTime)
  }

  func exchange(_ server: PurgeServer) async throws -> PurgeTable? {
    let words = [server.id, "\(server.known)", "\(server.servesCutOff ? 1 : 0) \(server.name)"]
    // First, so that whatever comes after the reply is announced.
    await ear.open()
    let reply = try await send(.exchangePurges, [table, roster], words)
    if reply.text == "same" { return nil }
    guard let fields = reply.elements?.map(\.text) else { throw RedisFailure(unexpected: reply, to: "EVAL") }
    // A table that was lost has no fields.
    return Self.table(fields)
  }

  private static func table(_ fields: [String?]) -> PurgeTable {
    var table = PurgeTable()
    for index in stride(from: 0, to: fields.count - 1, by: 2) {
      guard let name = fields[index], let number = fields[index + 1].flatMap({ UInt64($0) }) else { continue }
      switch name {
      case "=": table.note(latest: number, latestTag: 0)
      case "#": table.note(latest: 0, latestTag: number)
      default:
        // What somebody else has written there is no purge.
        if let purge = Purge(name: name) { table.note(purge, number) }
      }
    }
    return table
  }

  func add(_ purges: [Purge], atLeast number: UInt64) async throws -> UInt64 {
    let reply = try await send(.addPurges, [table], ["\(number)", channel] + purges.map(\.name))
    guard let number = reply.text.flatMap({ UInt64($0) }) else { throw RedisFailure(unexpected: reply, to: "EVAL") }
    return number
  }

  func restore(_ purges: [Purge: UInt64]) async throws {
    _ = try await send(.restorePurges, [table], [channel] + Self.words(purges))
  }

  func apply(_ folding: PurgeTable.Folding) async throws {
    // First the wider ones, so that nothing is found again in between.
    try await restore(folding.added)
    _ = try await send(.removePurges, [table], [channel] + Self.words(folding.removed))
  }

  private static func words(_ purges: [Purge: UInt64]) -> [String] { purges.flatMap { ["\($0.value)", $0.key.name] } }

  func servers() async throws -> [PurgeServer] {
    let reply = try await send(.purgeServers, [table, roster], ["\(Self.longestSilence.milliseconds)"])
    guard let parts = reply.elements, parts.count == 2, let now = parts[0].text.flatMap({ Int64($0) }),
      let fields = parts[1].elements?.map(\.text)
    else { throw RedisFailure(unexpected: reply, to: "EVAL") }
    return stride(from: 0, to: fields.count - 1, by: 2).compactMap { index in
      guard let id = fields[index], let words = fields[index + 1]?.split(separator: " ", maxSplits: 3),
        words.count == 4,
        let seen = Int64(words[0]), let known = UInt64(words[1])
      else { return nil }
      var server = PurgeServer(id: id, name: String(words[3]), servesCutOff: words[2] == "1")
      server.known = known
      server.silence = .milliseconds(max(0, now - seen))
      return server
    }
  }

  func leave(_ server: PurgeServer) async {
    _ = try? await client.send(RedisCommand("HDEL", roster, server.id), for: roster)
  }

  func listen(_ announcement: @escaping @Sendable () -> Void) { ear.listen(announcement) }

  private func send(_ script: RedisScript, _ keys: [String], _ words: [String]) async throws -> RedisReply {
    try await client.send(script.command(keys: keys, words), for: table)
  }
}

extension PurgeLedger.Configuration {
  /// Lets all servers that use this Redis hear of each other's purges.
  public mutating func share(over redis: RedisStore) throws { store = try RedisPurges(redis) }
}
