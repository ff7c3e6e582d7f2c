import Easel
import EaselAzure
import EaselS3
import EaselService
import EaselSupport
import FoundationEssentials

extension ServeSource {
  /// The loader of the sources of this place.
  ///
  /// `network` has the rules for all of the web.
  func loader(_ network: CurlLoader.Configuration) throws(ImageError) -> any ImageLoader {
    switch place.kind {
    case .local: return try FolderLoader(folder: folder ?? "", name: place.host)
    case .s3, .gs: return S3Loader(bucketConfiguration(network))
    case .azure:
      var configuration = AzureConfiguration(
        account: account.name, credential: account.credential, endpoint: account.endpoint.flatMap { URL(string: $0) })
      configuration.maximumTransfers = network.maximumTransfersPerHost
      return AzureLoader(configuration)
    case .http, .https, .dav, .davs: return CurlLoader(webConfiguration(network))
    }
  }

  private func bucketConfiguration(_ network: CurlLoader.Configuration) -> S3Configuration {
    let endpoint = bucket.endpoint.flatMap { URL(string: $0) }
    var configuration: S3Configuration
    if place.kind == .gs {
      configuration =
        endpoint.map { .google(credentials: bucket.credentials, endpoint: $0) }
        ?? .google(credentials: bucket.credentials)
    } else {
      configuration = S3Configuration(region: bucket.region, endpoint: endpoint, credentials: bucket.credentials)
      configuration.addressing = bucket.addressing
    }
    configuration.maximumTransfers = network.maximumTransfersPerHost
    return configuration
  }

  private func webConfiguration(_ network: CurlLoader.Configuration) -> CurlLoader.Configuration {
    var network = network
    if let userAgent { network.headers["User-Agent"] = userAgent }
    for field in fields { network.headers[field.name] = field.value.text }
    if allowsPrivateAddresses { network.addressPolicy = .allowAll }
    network.cacheIdentity = cacheIdentity
    return network
  }

  /// Keeps the pictures apart that other fields would bring; whoever changes a password wants no other pictures.
  private var cacheIdentity: CacheIdentity {
    let deciding = fields.map { $0.isCredential ? $0.name : "\($0.name): \($0.value.text)" }
    guard !deciding.isEmpty else { return .plain }
    let framed = deciding.map { "\($0.utf8.count):\($0)" }.joined()
    return .named("source-" + hexadecimal(SHA256.hash(Array(framed.utf8))))
  }
}
