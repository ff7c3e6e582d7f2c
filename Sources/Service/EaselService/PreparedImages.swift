import EaselCore
import EaselManager
import EaselSupport
import FoundationEssentials

/// A picture as an address and its client want it, read and made ready once for many requests.
///
/// The request in the plan keeps its resolved form, so that a lookup in memory allocates nothing.
final class PreparedImage: Sendable {
  let wanted: WantedImage
  let plan: WantedImage.Plan
  /// The version of the purges for which the keys in the plan are right.
  private let purges: Locked<UInt64>
  /// The name of the source in purges.
  private let source: String
  /// The validator and the tags of the last result, with the generation of its original.
  private let validator = Locked<(generation: UInt64, text: String, tags: SourceTags)?>(nil)

  /// The last answer, as far as others have the same.
  private let last = Locked<Answer?>(nil)

  private struct Answer {
    let generation: UInt64
    /// The response of the source, which may be renewed without another generation.
    let source: CacheRecord.Response?
    /// The moment, in tenths of a second: how long clients may keep the picture depends on it.
    let moment: Int
    let hasFormatInPath: Bool
    let fields: PreparedFields
    let details: ResponseDetails
  }

  init(_ wanted: WantedImage, _ plan: WantedImage.Plan, purges: UInt64 = 0) {
    self.wanted = wanted
    self.plan = plan
    self.purges = Locked(purges)
    source = PurgeMarks.name(of: wanted.url)
  }

  /// True if no purge up to this version has changed the keys.
  func isCurrent(_ version: UInt64, by settings: ServiceSettings) -> Bool {
    if purges.withLock({ $0 == version }) { return true }
    let number = settings.purgeNumber(of: source, tags: wanted.order.cacheTags)
    guard number.own == plan.request.context[.purgeNumber] else { return false }
    purges.withLock { $0 = version }
    return true
  }

  /// The answer with a result of the plan; its fields are those of the last answer, if that was a moment ago.
  func response(with found: EncodedImage, to exchange: ServiceExchange, at now: Date) -> ServiceResponse {
    let mayShare = !found.isPartial && wanted.order.expires == nil && exchange.takesPreparedFields
    let moment = Int((now.timeIntervalSince1970 * 10).rounded(.down))
    if mayShare, let last = last.withLock({ $0 }), last.moment == moment, last.generation == found.record.generation,
      last.hasFormatInPath == exchange.hasFormatInPath, last.source == found.record.response
    {
      return exchange.response(found, last.fields, last.details)
    }
    let facts = facts(of: found)
    let answer = exchange.response(found, tag: facts.entityTag, tags: facts.tags, for: wanted, at: now)
    guard mayShare, answer.status == 200 else { return answer }
    let shared = Answer(
      generation: found.record.generation, source: found.record.response, moment: moment,
      hasFormatInPath: exchange.hasFormatInPath,
      fields: exchange.preparedFields(of: answer), details: answer.details)
    last.withLock { $0 = shared }
    return answer
  }

  /// The validator of a result of this plan, which is a hash, and the tags of its source, read once for each generation.
  ///
  /// A plan that keeps the format of the original has one format for each generation.
  func facts(of found: EncodedImage) -> (entityTag: String, tags: SourceTags) {
    let generation = found.record.generation
    if let known = validator.withLock({ $0 }), known.generation == generation { return (known.text, known.tags) }
    let (text, tags) = (found.entityTag, SourceTags(found.record))
    validator.withLock { $0 = (generation, text, tags) }
    return (text, tags)
  }
}

/// The prepared pictures of the latest requests.
///
/// Half of them go at once, those that were not asked for since the other half came.
final class PreparedImages: Sendable {
  /// Everything in a request on which its picture depends.
  struct Key: Hashable, Sendable {
    let target: String
    let accept: String?
    let hints: ClientHints
    let hops: String?
    var passed: [String] = []
  }

  private struct State {
    var newer: [Key: PreparedImage] = [:]
    var older: [Key: PreparedImage] = [:]
  }

  private static let longestTarget = 2048
  private static let longestAccept = 256

  private let capacity: Int
  private let state = Locked(State())

  init(capacity: Int = 8192) { self.capacity = max(2, capacity) }

  /// The key of a request; nil if it is too long to be kept.
  static func key(of exchange: ServiceExchange, _ target: Substring) -> Key? {
    let (headers, values) = (exchange.request.headers, exchange.settings.values)
    let accept = values.negotiatedFormats.isEmpty ? nil : headers["Accept"]
    guard target.utf8.count <= longestTarget, accept?.utf8.count ?? 0 <= longestAccept else { return nil }
    return Key(
      target: String(target), accept: accept, hints: values.usesClientHints ? ClientHints(headers) : .none,
      hops: headers[HopCount.field], passed: values.passing.values(of: headers))
  }

  subscript(key: Key) -> PreparedImage? {
    state.withLock { state in
      if let found = state.newer[key] { return found }
      guard let found = state.older.removeValue(forKey: key) else { return nil }
      insert(found, key, &state)
      return found
    }
  }

  func insert(_ picture: PreparedImage, for key: Key) { state.withLock { insert(picture, key, &$0) } }

  var count: Int { state.withLock { $0.newer.count + $0.older.count } }

  private func insert(_ picture: PreparedImage, _ key: Key, _ state: inout State) {
    if state.newer.count >= capacity / 2 {
      state.older = state.newer
      state.newer = [:]
    }
    state.newer[key] = picture
  }
}
