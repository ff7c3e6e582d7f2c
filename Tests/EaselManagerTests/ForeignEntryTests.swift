import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager
@testable import EaselTiers

/// Stores that give the entry of another key.
struct ForeignEntryTests {
  private let own = URL(string: "http://host/ok.toy")!
  private let other = URL(string: "http://host/a.toy")!
  private let shared = InMemorySharedStore()
  private let studio: Studio

  init() {
    let (memory, disk, shared) = (RecordingMemoryStore(), RecordingDiskStore(), shared)
    studio = Studio {
      $0.cache = TieredCache(memory: memory, disk: disk, shared: shared, workers: .patient())
    }
    (self.memory, self.disk) = (memory, disk)
    studio.place(.small, at: own.absoluteString)
    studio.place(ToyImage(width: 8, height: 6, seed: 40), at: other.absoluteString)
  }

  private let memory: RecordingMemoryStore
  private let disk: RecordingDiskStore

  /// Puts what one key has under another one, in one layer and nowhere else.
  private func mix(_ wrong: CacheKey, under key: CacheKey, in layer: CacheLayers) async throws {
    let entry: CacheEntry?
    switch layer {
    case .memory: entry = memory.entries[wrong]
    case .disk: entry = disk.entries[wrong]
    default: entry = try await shared.entry(for: wrong)
    }
    memory.removeAll()
    try disk.removeAll()
    try await shared.removeAll()
    switch layer {
    case .memory: memory.seed(try #require(entry), for: key)
    case .disk: disk.seed(try #require(entry), for: key)
    default: try await shared.store(try #require(entry), for: key)
    }
    studio.observer.forgetEvents()
  }

  static let layers: [CacheLayers] = [.memory, .disk, .shared]

  @Test(arguments: layers) func anEntryOfAnotherKeyIsNotShown(_ layer: CacheLayers) async throws {
    let context: ImageContext = [.queryLayers(.all), .storeLayers(.all)]
    let wrong = try await studio.warm(other, [], context).key
    try await mix(wrong, under: CacheKey(original: own.absoluteString), in: layer)
    #expect(studio.manager.cachedImage(for: own) == nil)
    let result = try await studio.warm(own, [], context)
    #expect(try result.source == .network && result.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(studio.observer.names.contains("cacheFailed") && !studio.observer.names.contains("cacheHit"))
    // The right one has taken its place.
    studio.observer.forgetEvents()
    #expect(try await studio.result(own, [], context).source == .memory)
    #expect(!studio.observer.names.contains("cacheFailed"))
  }

  @Test(arguments: layers) func encodedBytesOfAnotherKeyAreNotDelivered(_ layer: CacheLayers) async throws {
    let half: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4)), .storeLayers(.all), .queryLayers(.all)]
    let request = ImageRequest(url: own, context: half)
    let wrong = try await studio.warmEncoded(other, as: .print, [], half)
    let key = try #require(studio.manager.cacheKey(for: request, as: .print))
    try await mix(wrong.key, under: key, in: layer)
    #expect(studio.manager.cachedEncoded(for: request, as: .print) == nil)
    let right = try await studio.warmEncoded(own, as: .print, [], half)
    #expect(try right.source == .network && right.bytes.data() != wrong.bytes.data())
    #expect(studio.observer.names.contains("cacheFailed"))
  }

  @Test(arguments: [CacheLayers.disk, .shared])
  func anOriginalOfAnotherKeyIsNeitherUsedNorHandedOut(_ layer: CacheLayers) async throws {
    let half: ImageContext = [
      .thumbnailSize(PixelSize(width: 4, height: 4)), .originalStoreLayers(.all), .originalQueryLayers(.all),
      .queryLayers(.all), .storeLayers(.all),
    ]
    let wrong = try await studio.warm(other, [], half).key.originalKey
    try await mix(wrong, under: CacheKey(original: own.absoluteString), in: layer)
    #expect(try await studio.warm(own, [], half).source == .network)
    try await mix(wrong: other, layer)
    let bytes = try await studio.manager.bytes(for: ImageRequest(url: own, context: half))
    #expect(try bytes.data() == ToyImage.small.imageBytes.data())
  }

  private func mix(wrong url: URL, _ layer: CacheLayers) async throws {
    let result = try await studio.warm(url, .fromLoaderOnly, [.storeLayers(.all)])
    try await mix(result.key, under: CacheKey(original: own.absoluteString), in: layer)
  }

  @Test func theLayerBehindAWrongEntryIsAsked() async throws {
    let wrong = try await studio.warm(other).key
    let key = try await studio.warm(own).key
    memory.seed(try #require(memory.entries[wrong]), for: key)
    let result = try await studio.result(own)
    #expect(try result.source == .disk && result.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(studio.observer.names.contains("cacheFailed"))
    await studio.settle()
  }

  @Test func aVariantIsAnotherKeyThanItsOriginal() async throws {
    let half: ImageContext = [.thumbnailSize(PixelSize(width: 4, height: 4))]
    let small = try await studio.warm(own, [], half)
    memory.removeAll()
    disk.seed(try #require(disk.entries[small.key]), for: small.key.originalKey)
    let whole = try await studio.result(own)
    #expect(try whole.source != .disk && whole.image.bitmap == ToyImage.small.expectedBitmap())
    #expect(studio.observer.names.contains("cacheFailed"))
    await studio.settle()
  }

  @Test func anEntryThatNamesNoKeyStaysReadable() async throws {
    let key = try await studio.warm(own).key
    var record = try #require(disk.entries[key]).record
    #expect(record.keyDigest == key.digest)
    record.keyDigest = nil
    memory.removeAll()
    disk.seed(CacheEntry(bytes: ToyImage.small.imageBytes, record: record), for: key)
    #expect(try await studio.result(own).source == .disk)
    #expect(!studio.observer.names.contains("cacheFailed"))
    await studio.settle()
  }

  @Test func whoMovesAnEntryToAnotherKeyByTheCacheFindsItThere() async throws {
    let cache = studio.manager.configuration.cache
    let first = try await studio.warm(other).key
    let key = CacheKey(original: own.absoluteString)
    let entry = try #require(try await cache.query(first, in: .disk)).entry
    try await cache.store(entry, for: key, in: .disk)
    #expect(try await studio.result(own).source == .disk)
    await studio.settle()
  }

  @Test func theDigestIsTheSameInEveryProcess() {
    let scope = CacheKey.Scope(parts: [CacheKey.Scope.Part(name: "token", value: "1")])
    let keys = [
      CacheKey(original: "http://host/a.png"), CacheKey(original: "http://host/a.png", scope: scope),
      CacheKey(original: "http://host/a.png", suffixes: [CacheKey.Suffix("Flip(1,0)")]),
      CacheKey(original: "http://host/a.png", suffixes: [CacheKey.Suffix("Flip(1,0)", origin: .setting)]),
      CacheKey(
        original: "http://host/a.pngtoken", scope: CacheKey.Scope(parts: [CacheKey.Scope.Part(name: "", value: "1")])),
    ]
    #expect(Set(keys.map(\.digest)).count == keys.count)
    #expect(keys[0].digest == CacheKey(original: "http://host/a.png").digest)
    // Stores keep these numbers.
    #expect(keys.map(\.digest) == Self.kept)
  }

  private static let kept: [UInt64] = [
    14_766_461_625_561_686_638, 11_361_891_986_242_481_287, 1_447_863_730_956_133_335, 3_068_582_091_034_052_606,
    16_967_686_297_063_789_192,
  ]
}
