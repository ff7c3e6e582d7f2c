import EaselCore
import EaselSupport
import FoundationEssentials

/// The rules that lookups are held against: the newest version of each original that any client knows of.
///
/// A version is known once a call that stored it has returned, or once a lookup has found it. From then on nobody may
/// find an older one. Finding nothing is always allowed, because a cache may lose everything.
final class Truth: Sendable {
  /// A violation of the rules.
  enum Fault: String, CaseIterable, Sendable {
    case older = "an older picture after a newer one was known"
    case bytes = "wrong bytes"
    case other = "the picture of another scope, original or variant"
    case record = "a record that is not that of the bytes"
  }

  private let known: Locked<[Int: Int]>
  private let next: Locked<[Int: Int]>
  private let faults = Locked<[Fault: Int]>([:])
  private let examples = Locked<[String]>([])

  init() {
    known = Locked([:])
    next = Locked([:])
  }

  /// A new version of an original.
  func newVersion(of family: Int) -> Int {
    next.withLock { next in
      next[family, default: 0] += 1
      return next[family]!
    }
  }

  /// The version that was the newest so many versions ago; nil if there is none.
  func oldVersion(of family: Int, back: Int) -> Int? {
    next.withLock { $0[family] }.flatMap { $0 - back > 0 ? $0 - back : nil }
  }

  func known(_ family: Int) -> Int { known.withLock { $0[family] ?? 0 } }

  func learn(_ version: Int, of family: Int) { known.withLock { $0[family] = max($0[family] ?? 0, version) } }

  /// Nothing is known after everything was removed.
  func forget() { known.withLock { $0 = [:] } }

  func note(_ fault: Fault, _ text: String) {
    faults.withLock { $0[fault, default: 0] += 1 }
    examples.withLock { if $0.count < 5 { $0.append("\(fault.rawValue): \(text)") } }
  }

  var counts: [(Fault, Int)] { faults.withLock { faults in Fault.allCases.map { ($0, faults[$0] ?? 0) } } }

  var firstExamples: [String] { examples.withLock { $0 } }
}

/// A picture of the model: its bytes say which one it is, and every one of them follows from that.
struct ModelPicture: Sendable {
  static let families = 240
  static let scopes = 3
  static let variants = 4

  let family: Int
  let variant: Int
  let version: Int

  /// Original, scope and variant, in three numbers of one digit or more.
  private var name: String {
    "\(family / Self.scopes)/\(family % Self.scopes)/\(variant)/\(version)\n"
  }

  var key: CacheKey { Self.key(family, variant) }

  /// Families whose originals have one name differ by their scope alone.
  static func key(_ family: Int, _ variant: Int) -> CacheKey {
    let number = family % scopes
    let scope =
      number == 0 ? CacheKey.Scope() : CacheKey.Scope(parts: [CacheKey.Scope.Part(name: "tenant", value: "\(number)")])
    let suffixes = variant == 0 ? [] : [CacheKey.Suffix("Encode(webp,\(variant))", origin: .encoding)]
    return CacheKey(original: "http://host/\(family / scopes).png", scope: scope, suffixes: suffixes)
  }

  var bytes: [UInt8] {
    let head = Array(name.utf8)
    var hash = UInt64(bitPattern: Int64(family * 1_000_003 + variant * 7919 + version)) &* 0x9e37_79b9_7f4a_7c15
    // Most are small, some fill several packets, and a few are beyond the limits of fast engines.
    let count = [60, 900, 5000, 20_000, 70_000][Int(hash >> 60) % 5] + (hash >> 32 & 255 == 0 ? 600_000 : 0)
    var bytes = head
    bytes.reserveCapacity(head.count + count)
    while bytes.count < head.count + count {
      hash ^= hash << 13
      hash ^= hash >> 7
      hash ^= hash << 17
      withUnsafeBytes(of: hash) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  var record: CacheRecord {
    let response = Self.response(version)
    return CacheRecord(
      stored: response.received, generation: UInt64(version), mimeType: "image/webp", response: response,
      encodedSize: variant == 0 ? nil : PixelSize(width: variant, height: 1 + family))
  }

  /// A later version arrived later; a renewal arrives between two versions.
  static func response(_ version: Int, isRenewed: Bool = false) -> CacheRecord.Response {
    let time = Date(timeIntervalSince1970: 1e9 + Double(version) + (isRenewed ? 0.5 : 0))
    return CacheRecord.Response(
      status: 200, headers: ["ETag": "\"\(version)\"", "Cache-Control": "max-age=60"], requested: time, received: time)
  }

  /// The version of an entry that was found; nil after a fault.
  static func version(of entry: CacheEntry, _ family: Int, _ variant: Int, _ truth: Truth) -> Int? {
    let found = (try? entry.bytes?.withUnsafeBytes { Array($0) }) ?? []
    let parts = String(decoding: found.prefix { $0 != 10 }, as: UTF8.self).split(separator: "/").compactMap { Int($0) }
    guard parts.count == 4 else {
      truth.note(.bytes, "\(found.count) bytes under \(key(family, variant).readable)")
      return nil
    }
    guard parts[0] == family / scopes, parts[1] == family % scopes, parts[2] == variant else {
      truth.note(.other, "\(parts) under \(key(family, variant).readable)")
      return nil
    }
    let picture = ModelPicture(family: family, variant: variant, version: parts[3])
    guard picture.bytes == found else {
      truth.note(.bytes, "\(found.count) bytes of version \(parts[3]) under \(key(family, variant).readable)")
      return nil
    }
    var record = picture.record
    if entry.record.response == response(parts[3], isRenewed: true) { record.response = entry.record.response }
    if entry.belongs(to: key(family, variant)) { record.keyDigest = entry.record.keyDigest }
    guard entry.record == record else {
      truth.note(.record, "\(entry.record) under \(key(family, variant).readable)")
      return nil
    }
    return parts[3]
  }
}
