import EaselCore
import EaselCurl
import EaselDisk
import EaselGIF
import EaselJPEG
import EaselLocal
import EaselMemory
import EaselPNG
import EaselTransformers
import EaselWebP

extension CoderRegistry {
  /// Every coder of Easel.
  public static let standard = CoderRegistry([
    GIFCoder(),
    WebPCoder(),
    PNGCoder(),
    JPEGCoder(),
  ])
}

extension ImageFormat {
  /// The format of bytes that begin like one of those that Easel reads, nil when they do not.
  ///
  /// ``EaselCore/CoderRegistry/format(of:)`` does the same for coders of your own.
  public init?(of bytes: ImageBytes) throws(ImageError) {
    guard let format = try CoderRegistry.standard.format(of: bytes) else { return nil }
    self = format
  }
}

extension LoaderChain {
  /// Every loader of Easel: http and https as told, files and `data:` URLs; no thread starts before the first load.
  public static func standard(network: CurlLoader.Configuration = CurlLoader.Configuration()) -> LoaderChain {
    LoaderChain([
      DataURLLoader(),
      FileLoader(),
      CurlLoader(network),
    ])
  }
}

extension ImageManager.Configuration {
  /// Every loader and coder of Easel, over memory and a directory of the disk that is opened when it is first needed.
  ///
  /// Without a directory nothing outlives the process.
  public static func standard(
    cacheDirectory: String? = SQLiteDiskStore.defaultDirectory,
    network: CurlLoader.Configuration = CurlLoader.Configuration()
  ) -> ImageManager.Configuration {
    var configuration = ImageManager.Configuration(
      loader: LoaderChain.standard(network: network), coder: .standard,
      cache: TieredCache(
        memory: LRUMemoryStore(), disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) }))
    configuration.scaler = { TransformerPipeline.resize(width: $0.width, height: $0.height) }
    return configuration
  }
}

extension ImageManager {
  /// The manager of programs that need no other: everything that Easel has, with its defaults.
  public static let shared = ImageManager(.standard())
}
