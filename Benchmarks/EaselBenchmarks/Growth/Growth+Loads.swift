import Easel
import EaselBenchmarkHarness
import EaselTestServers
import FoundationEssentials

/// An increasing number of simultaneous loads.
extension Growth {
  /// There is no transfer and no decoding, so only the manager is measured.
  static func loadsInFlight(_ count: Int) async throws -> GrowthPoint {
    let loader = HeldLoader()
    let manager = ImageManager(.init(loader: loader, coder: CoderRegistry(), cache: TieredCache()))
    let requests = (0..<count).map { ImageRequest(url($0), options: .fromLoaderOnly) }
    let rounds = max(1, 2000 / count)
    var microseconds = 0.0
    let peak = try await PeakMemory.growth {
      microseconds = try await bestAsync(per: count * rounds) {
        for _ in 0..<rounds {
          loader.hold()
          let tasks = requests.map { request in
            Task.detached { blackHole(try await manager.image(for: request)) }
          }
          while manager.runningCount < count { await Task.yield() }
          loader.letGo()
          for task in tasks { try await task.value }
        }
      }
    }
    return GrowthPoint(
      series: "manager: loads in flight", count: count, microseconds: microseconds, peakBytes: peak)
  }

  /// JPEGs of 2 MP from a loopback server, all requested at once, to thumbnails in a small memory cache.
  static func pictures(_ count: Int, isStored: Bool) async throws -> GrowthPoint {
    let directory = "\(FileManager.default.temporaryDirectory.path)/easel-growth-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try await NginxServer.shared()
    let data = try BenchmarkPicture(.photo, .jpeg, 1600, 1250).data()
    try server.put([UInt8](data), at: "/growth.jpg")
    let cache = TieredCache(
      memory: LRUMemoryStore(.init(costLimit: 8 << 20)), disk: isStored ? SQLiteDiskStore(directory: directory) : nil)
    let manager = ImageManager(.init(loader: LoaderChain.standard(), coder: .standard, cache: cache))
    var microseconds = 0.0
    let peak = try await PeakMemory.growth {
      microseconds = try await bestAsync(of: count >= 1000 ? 1 : 3, per: count) {
        let tasks = (0..<count).map { number in
          Task.detached {
            let context: ImageContext = [.thumbnailSize(PixelSize(width: 320, height: 320))]
            let url = URL(string: "?\(number)", relativeTo: server.url("/growth.jpg"))!.absoluteURL
            blackHole(try await manager.image(for: ImageRequest(url: url, options: .fromLoaderOnly, context: context)))
          }
        }
        for task in tasks { try await task.value }
      }
    }
    await manager.close()
    return GrowthPoint(
      series: "manager: JPEGs of 2 MP to thumbnails\(isStored ? ", stored on disk" : "")", count: count,
      microseconds: microseconds, peakBytes: peak)
  }
}
