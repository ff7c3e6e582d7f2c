import EaselAVIF
import EaselBasic
import EaselCore
import EaselCurl
import EaselDisk
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselLocal
import EaselMemory
import EaselPNG
import EaselTIFF
import EaselTransformers
import EaselWebP

extension CoderRegistry {
  /// A registry of all coders that the umbrella module includes.
  public static let standard = CoderRegistry([
    PNMCoder(),
    ICOCoder(),
    BMPCoder(),
    QOICoder(),
    JXLCoder(),
    TIFFCoder(),
    AVIFCoder(),
    HEIFCoder(),
    GIFCoder(),
    WebPCoder(),
    PNGCoder(),
    JPEGCoder(),
  ])
}

extension ImageFormat {
  /// The format of bytes in one of the formats of ``CoderRegistry/standard``; nil when they are in none of them.
  ///
  /// ``EaselCore/CoderRegistry/format(of:)`` does the same for coders of your own.
  public init?(of bytes: ImageBytes) throws(ImageError) {
    guard let format = try CoderRegistry.standard.format(of: bytes) else { return nil }
    self = format
  }
}

extension LoaderChain {
  /// A chain of the loaders for http and https, files and `data:` URLs.
  ///
  /// No thread starts before the first load.
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
  /// Without a directory nothing is cached on disk.
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
