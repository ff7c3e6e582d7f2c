import EaselCore
import EaselRecords
import EaselSupport
import EaselWire
import FoundationEssentials

/// Keeps encoded pictures in memcached, for all machines that use the same servers.
///
/// Each original has a small value with its generation. The value is replaced only if nobody else has changed it in the
/// meantime, so that older bytes never replace newer ones. An entry that memcached evicts is a miss.
public final class MemcachedStore: SharedStore {
  /// The settings of a store.
  public struct Configuration: Sendable {
    /// The servers, as host and port; each original is on one of them.
    public var servers: [(host: String, port: Int)]
    /// The beginning of all names; stores with different prefixes do not see each other's entries.
    public var prefix = "easel"
    /// The largest body that is stored, in bytes; by default, memcached accepts one MiB.
    public var largestBody = 512 << 10
    /// The longest time for which an entry is kept.
    public var longestLife = Duration.seconds(29 * 86_400)
    /// The time after which a machine notices that another one has removed everything.
    public var clearDelay = Duration.seconds(5)
    /// The longest time to connect.
    public var connectTime = Duration.milliseconds(250)
    /// The time after which a connection without an answer is closed.
    public var answerTime = Duration.seconds(1)

    /// Creates the default settings for these servers.
    public init(_ servers: [(host: String, port: Int)]) { self.servers = servers }

    var largestValue: Int { largestBody + EntryCoding.overhead }
  }

  static let mostAttempts = 8

  let configuration: Configuration
  private let servers: [MemcachedServer]
  private let damaged = Locked(0)

  /// Creates a store, which connects on first use.
  public init(_ configuration: Configuration) throws {
    let isPlain = configuration.prefix.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain, (1...100).contains(configuration.prefix.utf8.count), !configuration.servers.isEmpty else {
      throw ImageError(
        .invalidRequest, "memcached needs a server, and a prefix of 1 to 100 letters without blanks.",
        subject: configuration.prefix)
    }
    self.configuration = configuration
    servers = configuration.servers.map { MemcachedServer(.tcp(host: $0.host, port: $0.port), configuration) }
  }

  /// The number of damaged or foreign values that were found; they count as misses.
  public var damagedCount: Int { damaged.withLock { $0 } }

  // MARK: SharedStore

  /// The bytes and the record under a key.
  public func entry(for key: CacheKey) async throws -> CacheEntry? {
    let place = try await place(of: key)
    async let marked = place.server.send("mg", place.mark, "v")
    let found = try await place.server.send("mg", place.entry, "v")
    guard let markBytes = try await marked.value, let bytes = found.value else { return nil }
    guard let mark = OriginalMark(markBytes), let (record, body) = EntryCoding.decode(bytes) else {
      damaged.withLock { $0 += 1 }
      _ = try await place.server.send("md", place.entry, "")
      return nil
    }
    return mark.current(record).map { CacheEntry(bytes: ImageBytes(Data(bytes[body])), record: $0) }
  }

  /// Stores the bytes and the record of an entry, unless the server knows newer ones.
  public func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    guard let bytes = entry.bytes else { return }
    let place = try await place(of: key)
    guard
      try await change(
        place, { $0.map { $0.noting(entry.record) } ?? OriginalMark(newest: entry.record, isRenewed: false) })
    else { return }
    let value =
      bytes.count <= configuration.largestBody
      ? try bytes.withUnsafeBytes { EntryCoding.encode(entry.record, body: $0) } : nil
    guard let value else {
      // The new entry is too large, but the smaller one from before is outdated.
      _ = try await place.server.send("md", place.entry, "")
      return
    }
    _ = try await place.server.send(
      "ms", place.entry, "\(life) F\(Self.flags(of: entry.record.generation))", value: value)
  }

  /// Renews the record of an original and of everything that was made from it.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    _ = try await change(place(of: key)) { $0.flatMap { $0.renewed(by: response, generation: generation) } }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) async throws {
    let place = try await place(of: key)
    _ = try await place.server.send("md", place.entry, "")
  }

  /// True when there is an entry under a key.
  public func contains(_ key: CacheKey) async throws -> Bool {
    let place = try await place(of: key)
    async let marked = place.server.send("mg", place.mark, "v")
    let found = try await place.server.send("mg", place.entry, "f")
    guard let mark = try await marked.value.flatMap({ OriginalMark($0) }) else { return false }
    return found["f"] == "\(Self.flags(of: mark.newest.generation))"
  }

  /// The part of a generation that memcached keeps with an entry, and tells without sending the entry.
  private static func flags(of generation: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: generation) }

  /// Makes sure that no machine finds the entries again; memcached evicts them later.
  public func removeAll() async throws { for server in servers { try await server.raiseEpoch() } }

  /// Changes the mark of an original; returns false if `change` returns nil, because the mark is newer.
  ///
  /// Another machine may change the mark at the same time, so each attempt begins with the current mark.
  private func change(_ place: Place, _ change: (OriginalMark?) -> OriginalMark?) async throws -> Bool {
    for _ in 0..<Self.mostAttempts {
      let found = try await place.server.send("mg", place.mark, "v c")
      guard let mark = change(found.value.flatMap { OriginalMark($0) })?.encoded() else { return false }
      if found.value == mark { return true }
      let condition = found.value == nil ? "ME" : "C\(found["c"] ?? "0")"
      if try await place.server.send("ms", place.mark, "\(condition) \(life)", value: mark).code == "HD" { return true }
      try Task.checkCancellation()
    }
    throw ImageError(
      .cacheFailed, "Other machines changed the same original \(Self.mostAttempts) times in a row.",
      subject: place.mark)
  }

  /// The life of an entry; it varies a little, so that not all entries end at the same time.
  private var life: String {
    // From 30 days on, memcached would read the number as a date.
    let seconds = min(max(1, configuration.longestLife.components.seconds), 2_591_999)
    return "T\(max(1, Int(Double(seconds) * Double.random(in: 0.9...1))))"
  }

  // MARK: Places

  /// The server of an original, and the names of its values for a key.
  struct Place: Sendable {
    let server: MemcachedServer
    let mark: String
    let entry: String
    fileprivate let start: String

    func claim(of kind: FlightKey.Kind) -> String { "\(entry):l\(kind.rawValue)" }
  }

  func place(of key: CacheKey) async throws -> Place {
    let original = key.originalKey.diskName
    // If a server is removed, originals on the other servers stay there.
    let server = servers.max { rank($0, original).lexicographicallyPrecedes(rank($1, original)) }!
    let start = "\(configuration.prefix):\(String(try await server.currentEpoch(), radix: 36)):\(original)"
    return Place(
      server: server, mark: start + ":m", entry: key.isVariant ? "\(start):v\(key.diskName)" : start + ":o",
      start: start)
  }

  private func rank(_ server: MemcachedServer, _ original: String) -> [UInt8] {
    servers.count == 1 ? [] : SHA256.hash(Array("\(server.address) \(original)".utf8))
  }
}
