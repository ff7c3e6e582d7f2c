import Easel
import EaselMemcached
import EaselObserving
import EaselRedis
import EaselS3
import FoundationEssentials

/// The store that several machines share, built from the engines that `--shared` names.
///
/// Small results go to a fast engine, if there is one. Everything else goes to S3, and so do all originals if S3 is
/// named.
struct SharedLayer: Sendable {
  /// An engine with its capabilities.
  private struct Part {
    let store: any SharedStore
    let largestBody: Int
    /// Makes the coordinator of the engine, if the engine supports one; waiting loads look in the given store.
    var coordinator: ((any SharedStore) -> any FlightCoordinator)?
  }

  /// The time limits for engines.
  struct Patience: Hashable, Sendable {
    var answerTime: Duration
    var originalAnswerTime: Duration
    var storeTime: Duration

    /// The limits for a server, where a client waits for each answer.
    static func serving(_ answerTime: Duration) -> Patience {
      Patience(answerTime: answerTime, originalAnswerTime: answerTime * 5, storeTime: max(.seconds(1), answerTime * 10))
    }

    /// The limits for a command, which connects anew each time.
    static let once = Patience(answerTime: .seconds(5), originalAnswerTime: .seconds(30), storeTime: .seconds(60))
  }

  let store: SharedStoreGroup
  /// Lets one machine work for all; nil if no engine can announce work to the others.
  let coordinator: (any FlightCoordinator)?
  /// The store that announces purges to the other servers; nil if there is none.
  let redis: RedisStore?

  /// Creates the store without connecting yet; returns nil without addresses.
  ///
  /// Throws if an address is incomplete, or if two addresses exclude each other.
  init?(
    _ addresses: [SharedAddress], _ patience: Patience,
    observer: (@Sendable (TieredCache.SharedStoreEvent) -> Void)? = nil, traces: OTLPTraces? = nil,
    log: (@Sendable (String) -> Void)? = nil
  ) throws(ImageError) {
    guard !addresses.isEmpty else { return nil }
    for isFast in [true, false] {
      let same = addresses.filter { $0.engine.isFast == isFast }
      guard same.count > 1 else { continue }
      throw ImageError(
        .invalidURL, "\(same[0].shown) and \(same[1].shown) would keep the same pictures. Name one of them.",
        subject: same[1].shown)
    }
    let hasLarge = addresses.contains { !$0.engine.isFast }
    let ordered = addresses.filter(\.engine.isFast) + addresses.filter { !$0.engine.isFast }
    var members: [SharedStoreGroup.Member] = []
    var redis: RedisStore?
    var makeCoordinator: ((any SharedStore) -> any FlightCoordinator)?
    for address in ordered {
      let part = try Self.part(address, patience, log.map { Self.withoutSecrets($0) })
      makeCoordinator = makeCoordinator ?? part.coordinator
      redis = redis ?? part.store as? RedisStore
      let name = address.engine.rawValue
      let store = traces.map { TracedStore(store: part.store, name: name, spans: $0) as any SharedStore } ?? part.store
      var member = SharedStoreGroup.Member(store)
      // A single store must see bodies that are too large for it, so that it forgets earlier, smaller bodies.
      if ordered.count > 1 { member.largestBody = part.largestBody }
      member.takesOriginals = !address.engine.isFast || !hasLarge
      member.settings.answerTime = patience.answerTime
      member.settings.originalAnswerTime = patience.originalAnswerTime
      member.settings.storeTime = patience.storeTime
      if let log { member.settings.log = Self.withoutSecrets { log("\(address.shown): \($0)") } }
      members.append(member)
    }
    let group = SharedStoreGroup(members, observer: observer)
    store = group
    self.redis = redis
    // The first engine is the one with the coordinator.
    coordinator = makeCoordinator.map { group.guarding($0(group), withStoreAt: 0) }
  }

  /// Removes secrets from errors before they reach the log, because errors name keys and so the URLs of sources.
  private static func withoutSecrets(_ log: @escaping @Sendable (String) -> Void) -> @Sendable (String) -> Void {
    { log(LoggedURL.hidingSecrets(in: $0)) }
  }

  private static func part(
    _ address: SharedAddress, _ patience: Patience, _ log: (@Sendable (String) -> Void)?
  ) throws(ImageError) -> Part {
    do {
      return try engine(address, patience, log)
    } catch {
      var failure = ImageError.wrapping(error, as: .invalidURL, "The address cannot be used.")
      // The engine's own subject may be the whole address, including its password.
      failure.subject = address.shown
      throw failure
    }
  }

  private static func engine(
    _ address: SharedAddress, _ patience: Patience, _ log: (@Sendable (String) -> Void)?
  ) throws -> Part {
    switch address.engine {
    case .redis:
      var configuration = try RedisStore.Configuration(address.text)
      configuration.servers.connectTime = max(configuration.servers.connectTime, patience.answerTime)
      configuration.servers.answerTime = max(configuration.servers.answerTime, patience.answerTime)
      configuration.log = log
      let store = try RedisStore(configuration)
      return Part(store: store, largestBody: configuration.largestBody) {
        RedisCoordinator(store, lookingIn: $0, answerTime: patience.answerTime)
      }
    case .memcached:
      var configuration = try MemcachedStore.Configuration(address.text)
      configuration.connectTime = max(configuration.connectTime, patience.answerTime)
      configuration.answerTime = max(configuration.answerTime, patience.answerTime)
      let store = try MemcachedStore(configuration)
      return Part(store: store, largestBody: configuration.largestBody) {
        MemcachedCoordinator(store, lookingIn: $0, answerTime: patience.answerTime)
      }
    case .s3:
      guard let url = URL(string: address.text) else {
        throw ImageError(.invalidURL, "The address is no URL. Write \(address.engine.form).")
      }
      let configuration = try S3Store.Configuration(url: url)
      return Part(store: try S3Store(configuration), largestBody: configuration.largestBody)
    }
  }
}
