import EaselCore
import EaselDisk
import EaselJPEG
import EaselMemory
import EaselPNG

extension CoderRegistry {
  /// Every coder of Easel.
  public static let standard = CoderRegistry([
    PNGCoder(),
    JPEGCoder(),
  ])
}

extension LoaderChain {
  /// Every loader of Easel.
  public static let standard = LoaderChain([])
}

extension ImageManager.Configuration {
  /// Every loader and coder of Easel, over memory and a directory of the disk that is opened when it is first needed.
  ///
  /// Without a directory nothing outlives the process.
  public static func standard(
    cacheDirectory: String? = SQLiteDiskStore.defaultDirectory
  ) -> ImageManager.Configuration {
    ImageManager.Configuration(
      loader: LoaderChain.standard, coder: .standard,
      cache: TieredCache(
        memory: LRUMemoryStore(), disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) }))
  }
}

extension ImageManager {
  /// The manager of programs that need no other: everything that Easel has, with its defaults.
  public static let shared = ImageManager(.standard())
}
