import EaselCore
import EaselSupport
import FoundationEssentials

/// Signs requests with Amazon's Signature Version 4.
///
/// libcurl can sign too, but Debian's version signs the wrong text for `=`, `*` and escaped characters in names.
struct S3Signer {
  let credentials: S3Credentials
  let region: String
  var service = "s3"
  let date: Date

  /// The text in place of the hash, for a body that TLS protects.
  static let unsignedPayload = "UNSIGNED-PAYLOAD"

  /// The value of the `Authorization` field.
  ///
  /// `headers` are the fields to sign, including `Host`; `path` and `query` are escaped as they are sent.
  func authorization(method: String, path: String, query: String, headers: HTTPHeaders, payloadHash: String) -> String {
    let fields = Self.canonicalFields(headers)
    let names = fields.map(\.name).joined(separator: ";")
    let request = [
      method, path, Self.canonicalQuery(query), fields.map { "\($0.name):\($0.value)\n" }.joined(), names, payloadHash,
    ].joined(separator: "\n")
    let scope = "\(day)/\(region)/\(service)/aws4_request"
    let text = "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(hexadecimal(SHA256.hash(request.utf8)))"
    let signature = hexadecimal(HMAC.sha256(key, Array(text.utf8)))
    return
      "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
  }

  /// The time in the form of `X-Amz-Date`: `20130524T000000Z`.
  var timestamp: String {
    let seconds = Int(date.timeIntervalSince1970.rounded(.down)) % 86_400
    return
      "\(day)T\(Self.digits(seconds / 3600, 2))\(Self.digits(seconds / 60 % 60, 2))\(Self.digits(seconds % 60, 2))Z"
  }

  private var day: String {
    let parts = Self.utc.dateComponents([.year, .month, .day], from: date)
    return Self.digits(parts.year ?? 0, 4) + Self.digits(parts.month ?? 0, 2) + Self.digits(parts.day ?? 0, 2)
  }

  private static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }

  /// The key that is valid for one day, one region and one service.
  private var key: [UInt8] {
    var key = Array("AWS4\(credentials.secretAccessKey)".utf8)
    for part in [day, region, service, "aws4_request"] { key = HMAC.sha256(key, Array(part.utf8)) }
    return key
  }

  /// The fields in the order of their names; values of equal names are joined, and each run of blanks becomes one.
  private static func canonicalFields(_ headers: HTTPHeaders) -> [(name: String, value: String)] {
    var values: [String: [String]] = [:]
    for field in headers.fields {
      values[field.name.lowercased(), default: []].append(
        field.value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " "))
    }
    return values.map { ($0.key, $0.value.joined(separator: ",")) }.sorted { $0.0 < $1.0 }
  }

  /// The parameters in the order of their bytes, each with `=`.
  private static func canonicalQuery(_ query: String) -> String {
    let pairs = query.split(separator: "&").map { parameter in
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: S3Escaping.normalized(parts[0]), value: parts.count > 1 ? S3Escaping.normalized(parts[1]) : "")
    }
    let sorted = pairs.sorted {
      $0.name == $1.name
        ? $0.value.utf8.lexicographicallyPrecedes($1.value.utf8) : $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }
    return sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }
}
