import EaselCore
import EaselHTTP
import EaselRecords
import EaselWire
import FoundationEssentials

/// Keeps encoded pictures in Redis, for all machines that use the same servers.
///
/// Each original has a small value with its generation. Only scripts change this value, so that older bytes never
/// replace newer ones. Entries of other generations are not found, and end by their time to live.
///
/// ```swift
/// let shared = try RedisStore(RedisStore.Configuration("redis://127.0.0.1:6379"))
/// configuration.cache = TieredCache(memory: LRUMemoryStore(), shared: shared)
/// ```
public final class RedisStore: SharedStore {
  /// The settings of a store.
  public struct Configuration: Sendable {
    /// The servers.
    public var servers: RedisConfiguration
    /// The beginning of all names; stores with different prefixes do not see each other's entries.
    public var prefix = "easel"
    /// The largest body that is stored, in bytes; larger bodies should be in S3 or on disks.
    public var largestBody = 512 << 10
    /// The longest time for which an entry is kept.
    public var longestLife = Duration.seconds(30 * 86_400)
    /// The time for which an entry is kept after it has become stale, because it can still be renewed.
    public var staleLife = Duration.seconds(7 * 86_400)
    /// Receives a sentence about unusable values, at most once a minute.
    public var log: (@Sendable (String) -> Void)?

    /// Creates the default settings for these servers.
    public init(_ servers: RedisConfiguration) { self.servers = servers }
  }

  private static let mostAttempts = 4

  let configuration: Configuration
  let client: RedisClient
  let epoch: RedisEpoch
  let claims = HeldTokens()
  private let damage: DamageLog
  private let clock: any ImageClock

  /// Creates a store, which connects on first use.
  public convenience init(_ configuration: Configuration) throws {
    try self.init(configuration, clock: SystemClock())
  }

  init(_ configuration: Configuration, clock: any ImageClock) throws {
    guard !configuration.prefix.contains(where: { $0 == "{" || $0 == "}" }) else {
      throw ImageError(
        .invalidRequest, "A prefix has no braces, because they decide the slot of a key.", subject: configuration.prefix
      )
    }
    self.configuration = configuration
    self.clock = clock
    client = try RedisClient(configuration.servers, largestReply: configuration.largestBody + RedisEntry.overhead * 2)
    epoch = RedisEpoch("\(configuration.prefix):epoch", client, clock: clock)
    damage = DamageLog(configuration.log, clock: clock)
  }

  /// The number of damaged or foreign values that were found; they count as misses.
  public var damagedCount: Int { damage.count }

  func names(_ key: CacheKey) -> RedisNames { RedisNames(key, prefix: configuration.prefix) }

  // MARK: SharedStore

  /// The bytes and the record under a key.
  public func entry(for key: CacheKey) async throws -> CacheEntry? {
    let names = names(key)
    do {
      let (number, values) = try await read([names.mark, names.entry], names, isLarge: !key.isVariant)
      return await entry(mark: values[0], value: values[1], names, epoch: number)
    } catch let error as WireError where error.kind == .tooLarge {
      await refuse(names, "It is too large.")
      return nil
    }
  }

  /// Stores the bytes and the record of an entry, unless the server knows newer ones.
  public func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    guard let bytes = entry.bytes else { return }
    let names = names(key)
    var value: [UInt8] = []
    if bytes.count <= configuration.largestBody {
      let encoded = try bytes.withUnsafeBytes { RedisEntry.encode(entry.record, body: $0, digest: names.digest) }
      guard let encoded else { return }
      value = encoded
    }
    let (kind, token) = claims.token(for: key)
    try await change(
      RedisScript.store, [names.mark, names.entry, names.claim(of: kind)],
      [
        RedisMark.hex(entry.record.generation), RedisMark.times(of: entry.record), markLife, life(of: entry.record),
        token ?? "",
      ], value)
  }

  /// Renews the record of an original and of everything that was made from it.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    let times = RedisMark.times(of: response).split(separator: " ").map(String.init)
    try await change(
      RedisScript.renew, [names(key).mark], [RedisMark.hex(generation), markLife] + times,
      response.map { RecordCoding.encode($0) } ?? [])
  }

  /// Runs a script that changes the first of its keys, with the present epoch.
  private func change(_ script: RedisScript, _ keys: [String], _ arguments: [String], _ body: [UInt8]) async throws {
    let isLarge = body.count > 1 << 16
    if client.isOneServer {
      let command = script.command(keys: keys + [epoch.name], [""] + arguments, body: body)
      _ = try await client.send(command, for: keys[0], isLarge: isLarge)
      return
    }
    var number = try await epoch.recent()
    for _ in 0..<Self.mostAttempts {
      let command = script.command(keys: keys, [RedisMark.hex(number)] + arguments, body: body)
      _ = try await client.send(command, for: keys[0], isLarge: isLarge)
      let current = try await epoch.current()
      if current == number { return }
      // All entries were removed in the meantime, so the script runs again with the new epoch.
      number = current
    }
    throw ImageError(.cacheFailed, "Other machines cleared Redis \(Self.mostAttempts) times in a row.")
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) async throws {
    let names = names(key)
    _ = try await client.send(RedisCommand("UNLINK", names.entry), for: names.entry)
  }

  /// True when there is an entry under a key.
  public func contains(_ key: CacheKey) async throws -> Bool {
    let names = names(key)
    async let head = client.send(
      RedisCommand("GETRANGE", names.entry, "0", "\(RedisEntry.headSize - 1)"), for: names.entry)
    let (number, marks) = try await read([names.mark], names, isLarge: false)
    guard let mark = marks[0].data.flatMap({ RedisMark($0) }), let head = try await head.data else { return false }
    return mark.epoch == number && head.starts(with: RedisMark.identity(mark.epoch, mark.generation).utf8)
  }

  /// Makes sure that no machine finds the entries again; they end by their time to live.
  public func removeAll() async throws { try await epoch.raise() }

  // MARK: Values

  /// Reads values together with the epoch; without an epoch, no value is valid.
  private func read(
    _ keys: [String], _ names: RedisNames, isLarge: Bool
  ) async throws -> (epoch: UInt64?, values: [RedisReply]) {
    if client.isOneServer {
      let reply = try await client.send(RedisCommand(["MGET", epoch.name] + keys), for: names.mark, isLarge: isLarge)
      let values = try values(in: reply, count: keys.count + 1)
      return (epoch.note(values[0]), Array(values[1...]))
    }
    // In a cluster, the epoch is on another server.
    async let reply = client.send(RedisCommand(["MGET"] + keys), for: names.mark, isLarge: isLarge)
    let number = epoch.note(try await client.send(RedisCommand("GET", epoch.name), for: epoch.name))
    return (number, try values(in: try await reply, count: keys.count))
  }

  private func values(in reply: RedisReply, count: Int) throws -> [RedisReply] {
    guard let values = reply.elements, values.count == count else {
      throw RedisFailure(unexpected: reply, to: "MGET")
    }
    return values
  }

  /// The entry that a question for a claim returned; nil if it cannot be used.
  func handedOver(mark: RedisReply, value: RedisReply, _ names: RedisNames) async throws -> CacheEntry? {
    // On one server, the script has already compared the epoch.
    let number = client.isOneServer ? mark.data.flatMap { RedisMark($0) }?.epoch : try await epoch.current()
    return await entry(mark: mark, value: value, names, epoch: number)
  }

  /// The entry in a value; nil if it is outdated or damaged.
  ///
  /// Damage is logged.
  private func entry(
    mark: RedisReply, value: RedisReply, _ names: RedisNames, epoch number: UInt64?
  ) async -> CacheEntry? {
    guard let markBytes = mark.data, let bytes = value.data, let number else { return nil }
    guard let known = RedisMark(markBytes) else {
      damage.note(names.mark, "It is no mark of an original.")
      return nil
    }
    guard let found = RedisEntry.decode(bytes, digest: names.digest) else {
      await refuse(names, "It is no entry of this key, or its check sum is wrong.")
      return nil
    }
    guard known.epoch == number, found.epoch == number, found.record.generation == known.generation else { return nil }
    var record = known.current(found.record)
    // The entry was read under the name of this key, so it belongs to the key.
    record.keyDigest = names.keyDigest
    return CacheEntry(bytes: ImageBytes(found.body), record: record)
  }

  private func refuse(_ names: RedisNames, _ reason: String) async {
    damage.note(names.entry, reason)
    await client.post(RedisCommand("UNLINK", names.entry), for: names.entry)
  }

  /// The life of a mark, which is longer than that of all entries.
  private var markLife: String { "\(configuration.longestLife.milliseconds / 8 * 10)" }

  /// The life of an entry; it varies a little, so that not all entries end at the same time.
  private func life(of record: CacheRecord) -> String {
    let fresh = record.freshSeconds(at: clock.date).map { max(0, min($0, 1e9)) }
    let staleLife = Double(configuration.staleLife.milliseconds)
    let longest = Double(configuration.longestLife.milliseconds)
    let life = min(longest, fresh.map { $0 * 1000 + staleLife } ?? longest)
    return "\(Int64(max(1, life * Double.random(in: 0.9...1.1))))"
  }
}

extension Duration {
  /// The duration in milliseconds; at least one.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = bounded.components
    return max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000)
  }
}
