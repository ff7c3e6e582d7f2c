import CExampleCrypto
import Easel
import FoundationEssentials

/// Signs URLs: adds an expiry and an HMAC of path and expiry to the query.
struct HMACSigner: RequestModifier {
  let key: String
  let lifetime: Int
  let now: @Sendable () -> Int

  /// The signature changes with time but the picture does not, so the signature is not part of the identity.
  var cacheIdentity: CacheIdentity { .named("hmac") }

  func modify(_ request: LoadRequest) -> LoadRequest? {
    // The two fields are appended to the existing query.
    guard var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: true) else { return nil }
    let expiry = now() + lifetime
    let fields = "expires=\(expiry)&signature=\(signature(path: request.url.path, expiry: expiry))"
    parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(fields)" } ?? fields
    guard let url = parts.url else { return nil }
    var request = request
    request.url = url
    return request
  }

  /// True when a server should accept the signed request.
  func accepts(path: String, query: String) -> Bool {
    let fields = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let values = Dictionary(fields.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    guard let expiry = values["expires"].flatMap({ Int($0) }), expiry >= now() else { return false }
    return values["signature"] == signature(path: path, expiry: expiry)
  }

  private func signature(path: String, expiry: Int) -> String {
    let (key, text) = (Array(key.utf8), Array("\(path)\n\(expiry)".utf8))
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = example_hmac_sha256(key, key.count, text, text.count, &digest)
    precondition(isDone, "libcrypto could not make an HMAC.")
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
