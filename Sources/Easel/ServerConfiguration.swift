import EaselCore
import EaselCurl
import EaselLocal
import EaselManager
import EaselSandbox

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
  /// - The risky formats of `coder`, such as AVIF, HEIC, JPEG XL, JPEG 2000, TIFF and those of your own, decode in
  ///   `sandbox`, whose worker is this program. So call `Sandbox.runIfWorker(coder:)` with the same coders first in
  ///   `main`. The sandbox starts with the first such picture; its `start()` tells before if there can be one. With nil,
  ///   everything decodes in this process.
  ///
  /// Without a directory nothing is cached on disk. Without `network`, 64 transfers run at a time, 16 of them from
  /// one host, each for at most a minute. The result is a value like any other: change what you need.
  public static func server(
    cacheDirectory: String?, addresses: AddressPolicy = .denyPrivate, network: CurlLoader.Configuration? = nil,
    limits: Limits = .server, coder: CoderRegistry = .standard, sandbox: Sandbox? = Sandbox()
  ) -> ImageManager.Configuration {
    // The loaders of `file:` URLs are left out: they would read every file that the server may read.
    let loader = LoaderChain([DataURLLoader(), CurlLoader(serving(network, only: addresses))])
    let coder = sandbox.map { coder.sandboxingRiskyFormats(in: $0) } ?? coder
    var configuration = standard(loader: loader, cacheDirectory: cacheDirectory, coder: coder)
    configuration.limits = limits
    return configuration
  }

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
}
