import EaselCore
import EaselTestServers
import EaselTestSupport
import EaselTestTags
import FoundationEssentials
import Testing

@testable import EaselS3

@Suite(.tags(.alone), .enabled(if: MotoServer.isAvailable, "\(MotoServer.missing ?? "")"))
struct S3StoreTests {
  let key = CacheKey(original: "http://a/b.png")

  @Test func itKeepsTheContractOfSharedStores() async throws {
    let contract = SharedStoreContract(connect: { other in
      try S3Store(#require(other as? S3Store).configuration)
    }) {
      try await S3Testing.store()
    }
    let violations = await contract.check()
    #expect(violations == [], "\(violations)")
  }

  @Test func whatAnotherMachineRemovesIsNotFoundAfterTheDelay() async throws {
    let clock = ManualClock()
    let configuration = try await S3Testing.configuration(clearDelay: .seconds(5))
    let first = try S3Store(configuration, clock: clock)
    let second = try S3Store(configuration, clock: clock)
    try await first.store(.plain([1, 2, 3]), for: key)
    #expect(try await second.entry(for: key) != nil)
    try await first.removeAll()
    #expect(try await first.entry(for: key) == nil)
    #expect(try await second.entry(for: key) != nil)
    clock.advance(by: .seconds(6))
    #expect(try await second.entry(for: key) == nil)
  }

  @Test func ofManyMachinesTheOneWithTheNewestBytesWins() async throws {
    let configuration = try await S3Testing.configuration()
    let newest = 12
    try await withThrowingTaskGroup(of: Void.self) { group in
      for generation in 1...newest {
        group.addTask {
          let store = try S3Store(configuration)
          do {
            try await store.store(
              .plain([UInt8(generation)], generation: UInt64(generation), stored: Double(generation)), for: key)
          } catch let error as ImageError where error.code == .cacheFailed {
            // It gave up because others were faster; the newest one is stored again below.
          }
        }
      }
      try await group.waitForAll()
    }
    let store = try S3Store(configuration)
    try await store.store(.plain([UInt8(newest)], generation: UInt64(newest), stored: Double(newest)), for: key)
    try await store.store(.plain([1], generation: 1, stored: 1), for: key)
    let found = try await store.entry(for: key)
    #expect(try found?.bytes?.withUnsafeBytes { Array($0) } == [UInt8(newest)])
  }

  @Test func aDamagedObjectIsAMissAndCounted() async throws {
    let configuration = try await S3Testing.configuration()
    let store = try S3Store(configuration)
    try await store.store(.plain(Array(repeating: 7, count: 100)), for: key)
    for damage in Damage.allCases {
      let before = store.damagedCount
      try await damage.apply(to: store, key, configuration)
      #expect(try await store.entry(for: key) == nil, "\(damage)")
      #expect(store.damagedCount == before + 1, "\(damage)")
      try await store.store(.plain(Array(repeating: 7, count: 100)), for: key)
      #expect(try await store.entry(for: key) != nil, "\(damage)")
    }
  }

  @Test func aDamagedMarkIsAMissAndIsReplaced() async throws {
    let configuration = try await S3Testing.configuration()
    let store = try S3Store(configuration)
    try await store.store(.plain([1]), for: key)
    try await S3Testing.put([1, 2, 3], store.location(store.markName(of: key, 0)), configuration.server)
    #expect(try await store.entry(for: key) == nil)
    try await store.store(.plain([2]), for: key)
    #expect(try await store.entry(for: key) != nil)
  }

  @Test func whatIsTooLargeIsNotStored() async throws {
    var configuration = try await S3Testing.configuration()
    configuration.largestBody = 10
    let store = try S3Store(configuration)
    try await store.store(.plain(Array(repeating: 1, count: 11)), for: key)
    #expect(try await !store.contains(key))
    try await store.store(.plain(Array(repeating: 1, count: 10)), for: key)
    #expect(try await store.contains(key))
  }

  enum Damage: CaseIterable {
    case cut, flipped, foreign, longer

    func apply(to store: S3Store, _ key: CacheKey, _ configuration: S3Store.Configuration) async throws {
      let location = store.location(store.name(of: key, 1, 0))
      let answer = try await S3Client(configuration.server, resumeStore: nil)
        .send(.init(location: location), limit: 1 << 20)
      var bytes = answer.body
      switch self {
      case .cut: bytes.removeLast(5)
      case .flipped: bytes[bytes.count - 3] ^= 4
      case .foreign: bytes = Array("<html>".utf8)
      case .longer: bytes.append(0)
      }
      try await S3Testing.put(bytes, location, configuration.server)
    }
  }
}
