import EaselCore
import EaselMemcached
import EaselRedis
import EaselS3
import EaselSupport
import EaselTestSupport
import EaselTiers
import FoundationEssentials
import Glibc

/// Lets eight clients use one shared store at once, and compares everything they find with a model.
///
/// Usage: EaselFleetModel OPERATIONS ADDRESS...
@main
enum Program {
  private static let clients = 8
  /// The pieces of the run, between which everything is removed.
  private static let rounds = 10

  static func main() async {
    guard CommandLine.arguments.count > 2, let operations = Int(CommandLine.arguments[1]), operations > 0 else {
      print("usage: EaselFleetModel OPERATIONS ADDRESS...")
      exit(2)
    }
    do {
      let stores = try (0..<clients).map { _ in try store(Array(CommandLine.arguments.dropFirst(2))) }
      exit(await run(operations, stores) ? 0 : 1)
    } catch {
      print("fleet-model: \(error)")
      exit(2)
    }
  }

  /// A store with connections of its own, as another machine has it.
  private static func store(_ addresses: [String]) throws -> any SharedStore {
    let members = try addresses.map { address in
      var member: SharedStoreGroup.Member
      switch address.prefix(while: { $0 != ":" }) {
      case "s3":
        var configuration = try S3Store.Configuration(url: URL(string: address)!)
        configuration.clearDelay = .zero
        member = SharedStoreGroup.Member(try S3Store(configuration))
      case "memcached":
        var configuration = try MemcachedStore.Configuration(address)
        configuration.clearDelay = .zero
        configuration.answerTime = .seconds(10)
        member = SharedStoreGroup.Member(try MemcachedStore(configuration))
        member.largestBody = configuration.largestBody
      default:
        var configuration = try RedisStore.Configuration(address)
        configuration.servers.answerTime = .seconds(10)
        member = SharedStoreGroup.Member(try RedisStore(configuration))
        member.largestBody = configuration.largestBody
      }
      member.takesOriginals = addresses.count == 1 || address.hasPrefix("s3:")
      // What is wrong must be found, however slow the machine is.
      member.settings.answerTime = .seconds(30)
      member.settings.originalAnswerTime = .seconds(30)
      member.settings.storeTime = .seconds(30)
      return member
    }
    return members.count == 1 ? members[0].store : SharedStoreGroup(members)
  }

  private static func run(_ operations: Int, _ stores: [any SharedStore]) async -> Bool {
    let (truth, tally) = (Truth(), Tally())
    let start = SystemClock().uptime
    for round in 0..<rounds {
      await withTaskGroup(of: Void.self) { group in
        for (number, store) in stores.enumerated() {
          group.addTask {
            let client = ModelClient(store: store, truth: truth, tally: tally)
            await client.work(operations / rounds / stores.count, seed: UInt64(round * 100 + number))
          }
        }
      }
      try? await stores[round % stores.count].removeAll()
      truth.forget()
      // A group takes so long to notice that its other stores have forgotten what they were told.
      if stores[0] is SharedStoreGroup { try? await Task.sleep(for: .seconds(5)) }
    }
    let time = SystemClock().uptime - start
    let counts = tally.counts
    let sum = counts.values.reduce(0, +)
    print("\(sum) operations by \(stores.count) clients in \(time):")
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { print("  \(name): \(count)") }
    for (fault, count) in truth.counts {
      print("  \(fault.rawValue): \(count) (\(count == 0 ? "met" : "MISSED"): at most 0)")
    }
    for example in truth.firstExamples { print("  for example \(example)") }
    let failures = counts["failed calls"] ?? 0
    let hits = counts["lookups, found"] ?? 0
    // A store that keeps nothing would break no rule.
    let isAlive = hits > sum / 20 && failures < sum / 100
    if !isAlive { print("  too few hits or too many failures to judge: MISSED") }
    return isAlive && truth.counts.allSatisfy { $0.1 == 0 }
  }
}

/// Counts operations by their names.
final class Tally: Sendable {
  private let state = Locked<[String: Int]>([:])

  func add(_ name: String) { state.withLock { $0[name, default: 0] += 1 } }

  var counts: [String: Int] { state.withLock { $0 } }
}

/// One client, which stores, renews, removes and looks up at random.
struct ModelClient: Sendable {
  let store: any SharedStore
  let truth: Truth
  let tally: Tally

  func work(_ count: Int, seed: UInt64) async {
    var random = SeededRandom(seed: seed)
    for _ in 0..<count {
      // Some originals are asked for far more often, so that clients meet.
      let spread = Int.random(in: 0..<4, using: &random) == 0 ? ModelPicture.families : 12
      let family = Int.random(in: 0..<spread, using: &random)
      let variant = Int.random(in: 0..<ModelPicture.variants, using: &random)
      let choice = Int.random(in: 0..<100, using: &random)
      let back = Int.random(in: 1...3, using: &random)
      do {
        switch choice {
        case 0..<60: try await look(family, variant)
        case 60..<65: try await publish(family, variant, truth.newVersion(of: family), "stores of newer bytes")
        case 65..<80:
          let version = truth.oldVersion(of: family, back: 0) ?? truth.newVersion(of: family)
          try await publish(family, variant, version, "stores")
        case 80..<90:
          // A machine that was asleep stores what was new some time ago.
          guard let version = truth.oldVersion(of: family, back: back) else { continue }
          try await publish(family, variant, version, "late stores")
        case 90..<94:
          let version = max(1, truth.known(family))
          tally.add("renewals")
          try await store.renew(
            ModelPicture.response(version, isRenewed: true), ofOriginal: ModelPicture.key(family, 0),
            generation: UInt64(version))
        case 94..<96:
          guard let version = truth.oldVersion(of: family, back: back) else { continue }
          tally.add("late renewals")
          try await store.renew(
            ModelPicture.response(version, isRenewed: true), ofOriginal: ModelPicture.key(family, 0),
            generation: UInt64(version))
        case 96..<98:
          tally.add("removals")
          try await store.remove(ModelPicture.key(family, variant))
        default:
          tally.add("questions if something is there")
          _ = try await store.contains(ModelPicture.key(family, variant))
        }
      } catch {
        tally.add("failed calls")
      }
    }
  }

  private func publish(_ family: Int, _ variant: Int, _ version: Int, _ name: String) async throws {
    let picture = ModelPicture(family: family, variant: variant, version: version)
    tally.add(name)
    try await store.store(CacheEntry(bytes: ImageBytes(Data(picture.bytes)), record: picture.record), for: picture.key)
    truth.learn(version, of: family)
  }

  private func look(_ family: Int, _ variant: Int) async throws {
    let least = truth.known(family)
    guard let entry = try await store.entry(for: ModelPicture.key(family, variant)) else {
      tally.add("lookups, nothing found")
      return
    }
    tally.add("lookups, found")
    guard let version = ModelPicture.version(of: entry, family, variant, truth) else { return }
    if version < least {
      truth.note(.older, "version \(version) after \(least) under \(ModelPicture.key(family, variant).readable)")
    }
    truth.learn(version, of: family)
  }
}
