import Easel

extension ImageManager {
  /// A manager for a program that shows thousands of pictures: thumbnails stay on disk, and few of them in memory.
  package static func gallery(
    cacheDirectory: String? = SQLiteDiskStore.defaultDirectory, change: (inout Configuration) -> Void = { _ in }
  ) -> ImageManager {
    var configuration = ImageManager.Configuration.standard(cacheDirectory: cacheDirectory)
    let memory = LRUMemoryStore(LRUMemoryStore.Configuration(costLimit: 36 << 20))
    let disk = cacheDirectory.map { SQLiteDiskStore(directory: $0) }
    configuration.cache = TieredCache(memory: memory, disk: disk)
    // The pictures of cameras and telescopes are the user's own.
    configuration.limits.framePixels = 400_000_000
    change(&configuration)
    return ImageManager(configuration)
  }
}
