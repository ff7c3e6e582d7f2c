import EaselCore
import EaselSupport
import FoundationEssentials

/// Signs requests with the key of a storage account, by Azure's scheme SharedKey for blobs.
struct AzureSigner: Sendable {
  let account: String
  let key: [UInt8]

  /// The version of Azure's rules that requests name.
  static let version = "2021-08-06"

  /// The fields that a request gets: its date, and its signature over all that Azure signs.
  func fields(for method: String, url: String, _ headers: HTTPHeaders, at date: Date) -> HTTPHeaders {
    var signed = headers
    let now = HTTPDate.text(date)
    signed["x-ms-date"] = now
    let code = HMAC.sha256(key, Array(text(method, url: url, signed).utf8))
    return ["x-ms-date": now, "Authorization": "SharedKey \(account):\(Data(code).base64EncodedString())"]
  }

  /// The text that is signed.
  func text(_ method: String, url: String, _ headers: HTTPHeaders) -> String {
    let usual = Self.usualFields.map { headers[$0] ?? "" }
    return ([method] + usual).joined(separator: "\n") + "\n" + ownFields(headers) + resource(url)
  }

  /// The order is part of the rules; a length is signed only if there is a body, and then there is none here.
  private static let usualFields = [
    "Content-Encoding", "Content-Language", "Content-Length", "Content-MD5", "Content-Type", "Date",
    "If-Modified-Since", "If-Match", "If-None-Match", "If-Unmodified-Since", "Range",
  ]

  private func ownFields(_ headers: HTTPHeaders) -> String {
    headers.fields.map { (name: $0.name.lowercased(), value: $0.value) }
      .filter { $0.name.hasPrefix("x-ms-") }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      .map { "\($0.name):\(Self.trimmed($0.value))\n" }.joined()
  }

  /// The account and the path as it is sent; requests for blobs have no query.
  private func resource(_ url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound else { return "/\(account)/" }
    let path = url[start...].drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
    return "/\(account)" + (path.isEmpty ? "/" : String(path))
  }

  private static func trimmed(_ text: String) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    return start.prefix(
      upTo: start.lastIndex { $0 != " " && $0 != "\t" }.map { start.index(after: $0) } ?? start.startIndex)
  }
}
