import EaselBasic
import EaselCore
import EaselCurl
import EaselDisk
import EaselGIF
import EaselJPEG
import EaselLocal
import EaselManager
import EaselMemory
import EaselPNG
import EaselTiers
import EaselTransformers
import EaselWebP

extension CoderRegistry {
  /// A registry of the coders of this module: PNG, JPEG, GIF, WebP, BMP, ICO, PNM, QOI and Radiance HDR.
  ///
  /// ```swift
  /// let image = try CoderRegistry.standard.decode(bytes, options: DecodeOptions(), work: WorkContext())
  /// ```
  ///
  /// `adding(_:)` gives it another one. The module EaselEverything has `CoderRegistry.everything`.
  public static let standard = CoderRegistry(simple + common)

  /// Formats whose signatures are short, so that they are asked after all others.
  package static let simple: [any ImageCoder] = [
    RadianceCoder(), PNMCoder(), ICOCoder(), BMPCoder(), QOICoder(),
  ]

  /// The formats of most pictures; the one at the end is asked first.
  package static let common: [any ImageCoder] = [GIFCoder(), WebPCoder(), PNGCoder(), JPEGCoder()]
}

extension ImageFormat {
  /// The format of bytes in one of the formats of ``CoderRegistry/standard``; nil when they are in none of them.
  ///
  /// ``EaselCore/CoderRegistry/format(of:)`` does the same for other coders.
  ///
  /// ```swift
  /// let isPNG = try ImageFormat(of: bytes) == .png
  /// ```
  public init?(of bytes: ImageBytes) throws(ImageError) {
    guard let format = try CoderRegistry.standard.format(of: bytes) else { return nil }
    self = format
  }
}

extension LoaderChain {
  /// A chain of the loaders for http and https, files and `data:` URLs.
  ///
  /// No thread starts before the first load.
  ///
  /// ```swift
  /// var network = CurlLoader.Configuration()
  /// network.addressPolicy = .denyPrivate
  /// configuration.loader = LoaderChain.standard(network: network)
  /// ```
  public static func standard(network: CurlLoader.Configuration = CurlLoader.Configuration()) -> LoaderChain {
    LoaderChain([
      DataURLLoader(),
      FileLoader(),
      CurlLoader(network),
    ])
  }
}

extension ImageManager.Configuration {
  /// The standard loaders and coders, with a memory cache and a disk cache whose directory is opened on first use.
  ///
  /// Without a directory nothing is cached on disk. Another registry stands in place of the standard one.
  ///
  /// ```swift
  /// let manager = ImageManager(.standard(cacheDirectory: "/var/cache/pictures"))
  /// ```
  public static func standard(
    cacheDirectory: String? = SQLiteDiskStore.defaultDirectory,
    network: CurlLoader.Configuration = CurlLoader.Configuration(), coder: CoderRegistry = .standard
  ) -> ImageManager.Configuration {
    standard(loader: .standard(network: network), cacheDirectory: cacheDirectory, coder: coder)
  }

  static func standard(
    loader: LoaderChain, cacheDirectory: String?, coder: CoderRegistry
  ) -> ImageManager.Configuration {
    let disk = cacheDirectory.map { SQLiteDiskStore(directory: $0) }
    var configuration = ImageManager.Configuration(
      loader: loader, coder: coder, cache: TieredCache(memory: LRUMemoryStore(), disk: disk))
    configuration.scaler = { TransformerPipeline.resize(width: $0.width, height: $0.height) }
    return configuration
  }
}

extension ImageManager {
  /// Creates a manager with the standard configuration.
  ///
  /// ```swift
  /// let image = try await ImageManager().image(for: url)
  /// ```
  ///
  /// Make one for the whole program and keep it, because loads share work and caches only within one manager.
  public convenience init() { self.init(.standard()) }
}
