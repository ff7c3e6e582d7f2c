import EaselBenchmarkHarness
import EaselCore
import EaselDisk
import EaselManager
import EaselMemory
import EaselPNG
import EaselTiers
import Foundation

/// Encoded bytes that are in a cache, against pictures and against the cache alone.
func encodedCases() -> [BenchmarkCase] {
  let group = "encoded"
  return [
    BenchmarkCase(
      "cachedEncoded, request used before", group: group, against: "cachedImage, request used before", atMost: 1.2
    ) {
      let shelf = try await Shelf()
      let requests = AtHand(shelf.requests)
      return BenchmarkPair(
        subject: .loop { repetitions in
          for index in 0..<repetitions {
            blackHole(requests.with(index & 1023) { shelf.manager.cachedEncoded(for: $0, as: shelf.recipe) })
          }
        },
        baseline: .loop { repetitions in
          for index in 0..<repetitions {
            blackHole(requests.with(index & 1023) { shelf.manager.cachedImage(for: $0) })
          }
        })
    },
    BenchmarkCase("await encoded, memory hit", group: group, against: "await image, memory hit", atMost: 1.2) {
      let shelf = try await Shelf()
      var (next, other) = (0, 0)
      return BenchmarkPair(
        subject: .asyncCall {
          blackHole(try await shelf.manager.encoded(for: shelf.requests[next & 1023], as: shelf.recipe))
          next += 1
        },
        baseline: .asyncCall {
          blackHole(try await shelf.manager.image(for: shelf.requests[other & 1023]))
          other += 1
        })
    },
    diskCase(bytes: 20_000, atMost: nil),
    diskCase(bytes: 200_000, atMost: 1.2),
  ]
}

/// A hit on the disk through the manager, against the query of the cache that it stands on.
private func diskCase(bytes count: Int, atMost bar: Double?) -> BenchmarkCase {
  BenchmarkCase(
    "await encoded, disk hit of \(count / 1000) KB", group: "encoded", against: "query record and body", atMost: bar
  ) {
    let shelf = try await Shelf(bytes: count, isOnDisk: true)
    var (next, other) = (0, 0)
    return BenchmarkPair(
      subject: .asyncCall {
        let encoded = try await shelf.manager.encoded(for: shelf.requests[next & 1023], as: shelf.recipe)
        blackHole(try encoded.bytes.loaded())
        next += 1
      },
      baseline: .asyncCall {
        let hit = try await shelf.cache.query(shelf.keys[other & 1023], in: .disk)
        blackHole(try hit!.entry.bytes!.loaded())
        other += 1
      })
  }
}

/// A manager whose caches have 1024 pictures as pixels and as encoded bytes.
private final class Shelf: Sendable {
  let manager: ImageManager
  let cache: TieredCache
  let requests: [ImageRequest]
  let keys: [CacheKey]
  let recipe = EncodeRecipe(.png)
  private let directory: String

  init(bytes count: Int = 2000, isOnDisk: Bool = false) async throws {
    directory = FileManager.default.temporaryDirectory.path + "/easel-bench-\(UUID().uuidString)"
    cache = TieredCache(
      memory: LRUMemoryStore(), disk: isOnDisk ? SQLiteDiskStore(directory: directory) : nil)
    let manager = ImageManager(
      .init(loader: HeldLoader(), coder: CoderRegistry([PNGCoder()]), cache: cache))
    self.manager = manager
    // Without a place in memory, each load goes to the disk.
    let context: ImageContext = isOnDisk ? [.storeLayers(.disk)] : []
    requests = (0..<1024).map {
      ImageRequest(
        "https://images.example.com/some/folder/with/pictures/picture-\($0).jpeg?width=320&height=240",
        context: context)
    }
    keys = requests.map { [recipe] in manager.cacheKey(for: $0, as: recipe)! }
    // The pictures come first: a load forgets what was made from other bytes of its original.
    if !isOnDisk { for request in requests { _ = try await manager.image(for: request) } }
    let body = ImageBytes(Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
    let record = CacheRecord(
      stored: Date(), generation: 1, mimeType: "image/png", encodedSize: PixelSize(width: 320, height: 240))
    for key in keys {
      try await cache.store(CacheEntry(bytes: body, record: record), for: key, in: isOnDisk ? .disk : .memory)
    }
    guard try await manager.encoded(for: requests[0], as: recipe).bytes.count == count else {
      throw BenchmarkUnavailable("the bytes are not those that were stored")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }
}
