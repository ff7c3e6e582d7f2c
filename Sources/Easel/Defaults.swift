import EaselBasic
import EaselCore
import EaselLocal
import EaselManager
import EaselMemory
import EaselPNG
import EaselTiers
import EaselTransformers

#if AVIF
  import EaselAVIF
#endif

#if Curl
  import EaselCurl
#endif

#if Disk
  import EaselDisk
#endif

#if GIF
  import EaselGIF
#endif

#if HEIF
  import EaselHEIF
#endif

#if JPEG
  import EaselJPEG
#endif

#if JXL
  import EaselJXL
#endif

#if TIFF
  import EaselTIFF
#endif

#if WebP
  import EaselWebP
#endif

extension CoderRegistry {
  /// A registry of all coders that the umbrella module includes.
  ///
  /// ```swift
  /// let image = try CoderRegistry.standard.decode(bytes, options: DecodeOptions(), work: WorkContext())
  /// ```
  public static let standard = CoderRegistry(coders)

  /// The coder at the end is asked first.
  private static var coders: [any ImageCoder] {
    var coders: [any ImageCoder] = [PNMCoder(), ICOCoder(), BMPCoder(), QOICoder()]
    #if JXL
      coders.append(JXLCoder())
    #endif
    #if TIFF
      coders.append(TIFFCoder())
    #endif
    #if AVIF
      coders.append(AVIFCoder())
    #endif
    #if HEIF
      coders.append(HEIFCoder())
    #endif
    #if GIF
      coders.append(GIFCoder())
    #endif
    #if WebP
      coders.append(WebPCoder())
    #endif
    coders.append(PNGCoder())
    #if JPEG
      coders.append(JPEGCoder())
    #endif
    return coders
  }
}

extension ImageFormat {
  /// The format of bytes in one of the formats of ``CoderRegistry/standard``; nil when they are in none of them.
  ///
  /// ``EaselCore/CoderRegistry/format(of:)`` does the same for coders of your own.
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
  #if Curl
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
  #else
    /// A chain of the loaders for files and `data:` URLs.
    public static func standard() -> LoaderChain {
      LoaderChain([
        DataURLLoader(),
        FileLoader(),
      ])
    }
  #endif
}

extension ImageManager.Configuration {
  #if Curl && Disk
    /// The standard loaders and coders, with a memory cache and a disk cache whose directory is opened on first use.
    ///
    /// Without a directory nothing is cached on disk.
    ///
    /// ```swift
    /// let manager = ImageManager(.standard(cacheDirectory: "/var/cache/pictures"))
    /// ```
    public static func standard(
      cacheDirectory: String? = SQLiteDiskStore.defaultDirectory,
      network: CurlLoader.Configuration = CurlLoader.Configuration()
    ) -> ImageManager.Configuration {
      standard(loader: .standard(network: network), disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) })
    }
  #elseif Disk
    /// The standard loaders and coders, with a memory cache and a disk cache whose directory is opened on first use.
    ///
    /// Without a directory nothing is cached on disk.
    public static func standard(
      cacheDirectory: String? = SQLiteDiskStore.defaultDirectory
    ) -> ImageManager.Configuration {
      standard(loader: .standard(), disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) })
    }
  #elseif Curl
    /// The standard loaders and coders, with a memory cache.
    public static func standard(
      network: CurlLoader.Configuration = CurlLoader.Configuration()
    ) -> ImageManager.Configuration {
      standard(loader: .standard(network: network), disk: nil)
    }

    /// Not available, because the cache on disk belongs to the trait `Disk`.
    @available(*, unavailable, message: "Add \"Disk\" to the traits with which your package depends on Easel.")
    public static func standard(
      cacheDirectory: String?, network: CurlLoader.Configuration = CurlLoader.Configuration()
    ) -> ImageManager.Configuration {
      standard(network: network)
    }
  #else
    /// The standard loaders and coders, with a memory cache.
    public static func standard() -> ImageManager.Configuration {
      standard(loader: .standard(), disk: nil)
    }

    /// Not available, because the cache on disk belongs to the trait `Disk`.
    @available(*, unavailable, message: "Add \"Disk\" to the traits with which your package depends on Easel.")
    public static func standard(cacheDirectory: String?) -> ImageManager.Configuration { standard() }
  #endif

  static func standard(loader: LoaderChain, disk: (any DiskStore)?) -> ImageManager.Configuration {
    var configuration = ImageManager.Configuration(
      loader: loader, coder: .standard, cache: TieredCache(memory: LRUMemoryStore(), disk: disk))
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
