import EaselCore
import EaselLocal
import EaselManager
import EaselTestSupport
import EaselTiers

/// A manager with the loaders of this module and with accessible caches.
struct LocalStudio {
  let memory = RecordingMemoryStore()
  let disk = RecordingDiskStore()
  let manager: ImageManager

  init(file: FileLoader = FileLoader(), _ configure: (inout ImageManager.Configuration) -> Void = { _ in }) {
    var configuration = ImageManager.Configuration(
      loader: LoaderChain([file, DataURLLoader()]), coder: CoderRegistry([ToyCoder()]),
      cache: TieredCache(memory: memory, disk: disk))
    configure(&configuration)
    manager = ImageManager(configuration)
  }

  /// A picture in which every pixel depends on the seed.
  static func picture(_ seed: UInt64) -> ToyImage { ToyImage(width: 8, height: 6, seed: seed) }
}
