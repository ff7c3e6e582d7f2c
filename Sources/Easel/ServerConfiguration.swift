import EaselCore
import EaselLocal
import EaselManager
import EaselSandbox

#if Curl
  import EaselCurl
#endif

#if Disk
  import EaselDisk
#endif

extension Limits {
  /// The limits of a server, whose pictures come from strangers: they admit the photos of phones, and no more.
  ///
  /// A body has at most 32 MiB, a frame 50 megapixels, all frames of a moving picture 250 megapixels. A result has at
  /// most 8,192 pixels a side, 50 megapixels and 32 MiB. Each piece of work has 10 seconds.
  ///
  /// ```swift
  /// var limits = Limits.server
  /// limits.downloadBytes = 8 << 20
  /// let manager = ImageManager(.server(cacheDirectory: nil, limits: limits))
  /// ```
  public static let server = Limits(
    downloadBytes: 32 << 20, framePixels: 50_000_000, progressiveJPEGPixels: 20_000_000, frames: 1000,
    totalPixels: 250_000_000, decodeTime: .seconds(10), resultSide: 8192, resultPixels: 50_000_000,
    resultBytes: 32 << 20)
}

extension ImageManager.Configuration {
  #if Curl && Disk
    /// The configuration of a server, which loads the URLs and decodes the pictures of strangers.
    ///
    /// ```swift
    /// let manager = ImageManager(.server(cacheDirectory: "/var/cache/pictures"))
    /// ```
    ///
    /// It refuses what the standard configuration allows:
    /// - `addresses` denies those of this machine and of private networks. It stands in place of the policy of
    ///   `network`.
    /// - Only http, https and `data:` are loaded. A `file:` URL is the error `unsupportedURL`.
    /// - `limits` bound bytes, pixels and time; those of `Limits.server` are stricter than the default ones.
    /// - AVIF, HEIC, JPEG XL and TIFF decode in `sandbox`, whose worker is this program. So call
    ///   `Sandbox.runIfWorker()` first in `main`. The sandbox starts with the first such picture; its `start()` tells
    ///   before if there can be one. With nil, everything decodes in this process.
    ///
    /// Without a directory nothing is cached on disk. Without `network`, 64 transfers run at a time, 16 of them from
    /// one host, each for at most a minute. The result is a value like any other: change what you need.
    public static func server(
      cacheDirectory: String?, addresses: AddressPolicy = .denyPrivate, network: CurlLoader.Configuration? = nil,
      limits: Limits = .server, sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(
        loaders: [CurlLoader(serving(network, only: addresses))],
        disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) }, limits: limits, sandbox: sandbox)
    }
  #elseif Disk
    /// The configuration of a server, without the parts whose traits are off.
    public static func server(
      cacheDirectory: String?, limits: Limits = .server, sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(loaders: [], disk: cacheDirectory.map { SQLiteDiskStore(directory: $0) }, limits: limits, sandbox: sandbox)
    }
  #elseif Curl
    /// The configuration of a server, without the parts whose traits are off.
    public static func server(
      addresses: AddressPolicy = .denyPrivate, network: CurlLoader.Configuration? = nil, limits: Limits = .server,
      sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(
        loaders: [CurlLoader(serving(network, only: addresses))], disk: nil, limits: limits, sandbox: sandbox)
    }

    /// Not available, because the cache on disk belongs to the trait `Disk`.
    @available(*, unavailable, message: "Add \"Disk\" to the traits with which your package depends on Easel.")
    public static func server(
      cacheDirectory: String?, addresses: AddressPolicy = .denyPrivate, network: CurlLoader.Configuration? = nil,
      limits: Limits = .server, sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(addresses: addresses, network: network, limits: limits, sandbox: sandbox)
    }
  #else
    /// The configuration of a server, without the parts whose traits are off.
    public static func server(
      limits: Limits = .server, sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(loaders: [], disk: nil, limits: limits, sandbox: sandbox)
    }

    /// Not available, because the cache on disk belongs to the trait `Disk`.
    @available(*, unavailable, message: "Add \"Disk\" to the traits with which your package depends on Easel.")
    public static func server(
      cacheDirectory: String?, limits: Limits = .server, sandbox: Sandbox? = Sandbox()
    ) -> ImageManager.Configuration {
      server(limits: limits, sandbox: sandbox)
    }
  #endif

  /// The loaders of `file:` URLs are left out: they would read every file that the server may read.
  private static func server(
    loaders: [any ImageLoader], disk: (any DiskStore)?, limits: Limits, sandbox: Sandbox?
  ) -> ImageManager.Configuration {
    var configuration = standard(loader: LoaderChain([DataURLLoader() as any ImageLoader] + loaders), disk: disk)
    configuration.limits = limits
    if let sandbox { configuration.coder = configuration.coder.sandboxingRiskyFormats(in: sandbox) }
    return configuration
  }

  #if Curl
    private static func serving(
      _ chosen: CurlLoader.Configuration?, only addresses: AddressPolicy
    ) -> CurlLoader.Configuration {
      var network = chosen ?? CurlLoader.Configuration()
      network.addressPolicy = addresses
      guard chosen == nil else { return network }
      network.maximumTransfers = 64
      network.maximumTransfersPerHost = 16
      network.sharesTransfersEvenly = true
      network.totalTimeout = .seconds(60)
      return network
    }
  #endif
}
