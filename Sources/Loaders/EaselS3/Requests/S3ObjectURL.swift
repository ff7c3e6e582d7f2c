import EaselCore
import FoundationEssentials

/// The URL of an object on a server, in the form that is sent and signed.
struct S3ObjectURL: Hashable {
  let origin: String
  let host: String
  let path: String

  var url: URL? { URL(string: origin + path) }
  var isEncrypted: Bool { origin.hasPrefix("https:") }

  /// Creates the URL of an object in a region, or on a host that a redirect named.
  init(_ location: S3Location, _ configuration: S3Configuration, region: String, host named: String? = nil)
    throws(ImageError)
  {
    let key = S3Escaping.path(location.key)
    let name = S3Escaping.path(location.bucket)
    var base = "/"
    let scheme: String
    var host: String
    if let endpoint = configuration.endpoint {
      guard let stated = endpoint.scheme?.lowercased(), ["http", "https"].contains(stated), let server = endpoint.host
      else {
        throw ImageError(.invalidURL, "The endpoint of S3 must be an http or https URL.")
      }
      scheme = stated
      host = server.contains(":") && !server.hasPrefix("[") ? "[\(server)]" : server
      if let port = endpoint.port, port != (stated == "https" ? 443 : 80) { host += ":\(port)" }
      let folder = endpoint.path(percentEncoded: true)
      if !folder.isEmpty { base = folder.hasSuffix("/") ? folder : folder + "/" }
    } else {
      scheme = "https"
      host = "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }
    // A bucket name with dots does not match the certificate of Amazon's hosts.
    let usual: S3Configuration.Addressing =
      configuration.endpoint == nil && !(location.bucket.contains("."))
        && location.bucket.lowercased() == location.bucket
      ? .host : .path
    if let named {
      host = named
      path = named.hasPrefix(location.bucket + ".") ? base + key : base + name + "/" + key
    } else {
      switch configuration.addressing ?? usual {
      case .host:
        host = "\(location.bucket).\(host)"
        path = base + key
      case .path: path = base + name + "/" + key
      }
    }
    self.host = host
    origin = "\(scheme)://\(host)"
  }
}
