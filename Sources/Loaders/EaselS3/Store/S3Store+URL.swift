import EaselCore
import FoundationEssentials

extension S3Store.Configuration {
  /// Reads `s3://bucket/prefix?endpoint=URL&region=NAME&style=host|path&profile=NAME`; all parameters may be left out.
  public init(url: URL) throws {
    let shown = url.absoluteString.prefix { $0 != "?" }
    func refuse(_ reason: String) -> ImageError { ImageError(.invalidURL, reason, subject: String(shown)) }
    guard url.scheme?.lowercased() == "s3", let bucket = url.host, S3Location.isBucket(bucket), url.user == nil else {
      throw refuse("A store in S3 is written s3://bucket/prefix.")
    }
    var (server, style) = (S3Configuration(), S3Configuration.Addressing?.none)
    for parameter in (url.query(percentEncoded: true) ?? "").split(separator: "&") {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let bytes = S3Escaping.unescaped(parts[1]) else {
        throw refuse("A parameter is written name=value: endpoint, region, style, profile or access.")
      }
      let value = String(decoding: bytes, as: UTF8.self)
      switch parts[0] {
      case "region": server.region = value
      case "profile": server.credentials = .profile(value)
      case "access" where value == "anonymous": server.credentials = .anonymous
      case "style":
        guard let named = S3Configuration.Addressing(rawValue: value) else { throw refuse("style is host or path.") }
        style = named
      case "endpoint":
        guard let endpoint = URL(string: value), ["http", "https"].contains(endpoint.scheme?.lowercased() ?? ""),
          endpoint.host != nil
        else { throw refuse("endpoint is an http or https URL.") }
        server.endpoint = endpoint
      default: throw refuse("The parameters are endpoint, region, style, profile and access=anonymous.")
      }
    }
    server.addressing = style
    let path = url.path(percentEncoded: false)
    let prefix = path.split(separator: "/").joined(separator: "/")
    self.init(bucket: bucket, prefix: prefix.isEmpty ? "easel" : prefix, server: server)
  }
}
