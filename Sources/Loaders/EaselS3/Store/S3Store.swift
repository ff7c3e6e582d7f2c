import EaselCore
import EaselCurl
import EaselRecords
import EaselSupport
import FoundationEssentials

/// Keeps originals and large bodies in an S3 bucket, for all machines that use the same bucket.
///
/// Each original has a small object with its generation. It is written under a condition (`If-Match`), so that older
/// bytes never replace newer ones. The name of an entry contains its generation. A lifecycle rule of the bucket should
/// delete objects under the prefix by their age, because the store does not delete entries that are no longer found.
public final class S3Store: SharedStore {
  /// The settings of a store.
  public struct Configuration: Sendable {
    /// The server.
    public var server: S3Configuration
    /// The bucket.
    public var bucket: String
    /// The beginning of all names; stores with different prefixes do not see each other's entries.
    public var prefix: String
    /// The largest body that is stored or read, in bytes.
    public var largestBody = 64 << 20
    /// The time after which a machine notices that another machine has removed everything.
    public var clearDelay = Duration.seconds(5)

    /// Takes the bucket, the prefix and the server.
    public init(bucket: String, prefix: String = "easel", server: S3Configuration = S3Configuration()) {
      self.bucket = bucket
      self.prefix = prefix
      self.server = server
    }
  }

  let configuration: Configuration
  private let client: S3Client
  private let epochs: S3Epochs
  private let damaged = Locked(0)

  private static let mostAttempts = 8
  private static let mostRepeats = 2

  /// Creates a store; throws if the bucket's name is invalid.
  public convenience init(_ configuration: Configuration) throws {
    try self.init(configuration, clock: SystemClock())
  }

  init(_ configuration: Configuration, clock: any ImageClock) throws {
    guard S3Location.isBucket(configuration.bucket) else {
      throw ImageError(
        .invalidURL, "A bucket's name has 3 to 63 letters, digits, hyphens and dots.", subject: configuration.bucket)
    }
    self.configuration = configuration
    let client = S3Client(configuration.server, resumeStore: nil)
    self.client = client
    epochs = S3Epochs(
      client, location: Self.location("epoch", configuration), delay: configuration.clearDelay, clock: clock)
  }

  /// The number of damaged or foreign objects that were found; they count as misses.
  public var damagedCount: Int { damaged.withLock { $0 } }

  // MARK: SharedStore

  /// The bytes and the record under a key.
  public func entry(for key: CacheKey) async throws -> CacheEntry? {
    let epoch = try await epochs.current()
    guard let (mark, _) = try await mark(of: key, epoch) else { return nil }
    let answer = try await get(
      name(of: key, mark.newest.generation, epoch), limit: configuration.largestBody + EntryCoding.overhead)
    guard let answer else { return nil }
    guard let (record, body) = EntryCoding.decode(answer.body) else { return damagedObject() }
    guard let current = mark.current(record) else { return nil }
    return CacheEntry(bytes: ImageBytes(Data(answer.body[body])), record: current)
  }

  /// Stores the bytes and the record of an entry, unless the bucket has newer ones.
  public func store(_ entry: CacheEntry, for key: CacheKey) async throws {
    guard let bytes = entry.bytes, bytes.count <= configuration.largestBody else { return }
    let epoch = try await epochs.current()
    guard
      try await change(
        key, epoch, { $0.map { $0.noting(entry.record) } ?? OriginalMark(newest: entry.record, isRenewed: false) })
    else { return }
    guard let object = try bytes.withUnsafeBytes({ EntryCoding.encode(entry.record, body: $0) }) else { return }
    try await put(object, name(of: key, entry.record.generation, epoch))
  }

  /// Renews the record of an original and of everything that was made from it.
  public func renew(_ response: CacheRecord.Response?, ofOriginal key: CacheKey, generation: UInt64) async throws {
    let epoch = try await epochs.current()
    _ = try await change(key, epoch) { $0.flatMap { $0.renewed(by: response, generation: generation) } }
  }

  /// Removes an entry.
  public func remove(_ key: CacheKey) async throws {
    let epoch = try await epochs.current()
    guard let (mark, _) = try await mark(of: key, epoch) else { return }
    let name = name(of: key, mark.newest.generation, epoch)
    let answer = try await client.send(.init(location: location(name), method: "DELETE"), limit: S3Fault.longest)
    guard [200, 204, 404].contains(answer.status) else { throw S3Fault.error(answer, "delete", name) }
  }

  /// True when there is an entry under a key.
  public func contains(_ key: CacheKey) async throws -> Bool {
    let epoch = try await epochs.current()
    guard let (mark, _) = try await mark(of: key, epoch) else { return false }
    let name = name(of: key, mark.newest.generation, epoch)
    let answer = try await client.send(.init(location: location(name), method: "HEAD"), limit: S3Fault.longest)
    guard [200, 404].contains(answer.status) else { throw S3Fault.error(answer, "look for", name) }
    return answer.status == 200
  }

  /// Makes sure that no machine finds the entries again; the bucket's lifecycle rule deletes them.
  public func removeAll() async throws { try await epochs.raise() }

  // MARK: Objects

  /// Reads the mark of the original of a key, and the tag of that object.
  private func mark(of key: CacheKey, _ epoch: Int) async throws -> (OriginalMark, tag: String)? {
    guard let answer = try await get(markName(of: key, epoch), limit: EntryCoding.overhead) else { return nil }
    guard let mark = OriginalMark(answer.body), let tag = answer.head.headers["ETag"] else { return damagedObject() }
    return (mark, tag)
  }

  /// Changes the mark of an original; returns false if `change` returns nil, because the mark is newer.
  ///
  /// Another machine may change the mark at the same time, so each attempt begins with the current mark.
  private func change(_ key: CacheKey, _ epoch: Int, _ change: (OriginalMark?) -> OriginalMark?) async throws -> Bool {
    let name = markName(of: key, epoch)
    for _ in 0..<Self.mostAttempts {
      let found = try await get(name, limit: EntryCoding.overhead)
      let known = found.flatMap { OriginalMark($0.body) }
      if found != nil, known == nil { damaged.withLock { $0 += 1 } }
      guard let object = change(known)?.encoded() else { return false }
      if let found, known != nil, found.body == object { return true }
      var headers = HTTPHeaders()
      if let found {
        guard let tag = found.head.headers["ETag"] else { throw S3Fault.error(found, "read the tag of", name) }
        headers["If-Match"] = tag
      } else {
        headers["If-None-Match"] = "*"
      }
      if try await put(object, name, headers) { return true }
      try Task.checkCancellation()
    }
    throw ImageError(
      .cacheFailed, "Other machines changed the same original \(Self.mostAttempts) times in a row.",
      subject: key.readable)
  }

  private func get(_ name: String, limit: Int) async throws -> S3Client.Response? {
    let answer = try await client.send(.init(location: location(name)), limit: limit)
    switch answer.status {
    case 200: return answer
    case 404: return nil
    default: throw S3Fault.error(answer, "read", name)
    }
  }

  /// Writes an object; returns false if its condition is no longer met.
  @discardableResult
  private func put(_ object: [UInt8], _ name: String, _ condition: HTTPHeaders = HTTPHeaders()) async throws -> Bool {
    var headers = condition
    headers["Content-Type"] = "application/octet-stream"
    let request = S3Client.Request(location: location(name), method: "PUT", headers: headers, body: Data(object))
    var answer = try await client.send(request, limit: S3Fault.longest)
    // After an error within S3 the request may be repeated. But a conditional one may have written the object in spite
    // of the error.
    for _ in 0..<Self.mostRepeats where answer.status == 500 && condition.isEmpty {
      answer = try await client.send(request, limit: S3Fault.longest)
    }
    switch answer.status {
    case 200...204: return true
    // 404: the object was deleted between two requests. 409: another write is in progress.
    case 404 where !condition.isEmpty, 409, 412: return false
    default: throw S3Fault.error(answer, "write", name)
    }
  }

  private func damagedObject<Nothing>() -> Nothing? {
    damaged.withLock { $0 += 1 }
    return nil
  }

  // MARK: Names

  func markName(of key: CacheKey, _ epoch: Int) -> String {
    let original = key.originalKey.diskName
    return "\(epoch)/\(original.prefix(2))/\(original)/original"
  }

  func name(of key: CacheKey, _ generation: UInt64, _ epoch: Int) -> String {
    let original = key.originalKey.diskName
    let generation = String(generation, radix: 16)
    return "\(epoch)/\(original.prefix(2))/\(original)/\(generation)/\(key.diskName)"
  }

  func location(_ name: String) -> S3Location { Self.location(name, configuration) }

  private static func location(_ name: String, _ configuration: Configuration) -> S3Location {
    let prefix = configuration.prefix
    return S3Location(
      bucket: configuration.bucket, key: prefix.isEmpty ? name : prefix + (prefix.hasSuffix("/") ? "" : "/") + name)
  }
}
