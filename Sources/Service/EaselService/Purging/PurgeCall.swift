import EaselCore
import EaselSupport
import EaselTiers

/// A request to purge: `POST /purge?url=...&source=...&tag=...&all`.
///
/// A signed one has the time of day in milliseconds, and at its end the signature of everything before it.
package struct PurgeCall: Sendable {
  /// The pictures, as the request names them.
  package private(set) var purges: [Purge] = []
  /// The time of day at which the request was made, in milliseconds; nil if it does not say so.
  package private(set) var time: UInt64?
  /// The signature, and what it is the signature of; nil if there is none.
  private(set) var signature: (text: Substring, signed: String)?

  package static let path = "/purge"
  /// The time between making a signed request and carrying it out.
  package static let longestWay = Duration.seconds(60)
  private static let most = 1000

  /// Reads the target of a request, without the prefix of the server's paths.
  package init(_ target: Substring) throws(ServiceError) {
    let query = target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? ""
    for part in query.split(separator: "&", omittingEmptySubsequences: true) {
      let name = part.prefix { $0 != "=" }
      let raw = part.dropFirst(name.count + 1)
      guard let value = PercentText.decoded(raw) else {
        throw ServiceError(400, "The value of \(name) has a percent sign that is not followed by two digits.")
      }
      switch name {
      case "url": purges.append(.source(value))
      case "source": purges.append(.sources(beginningWith: value))
      case "tag": purges.append(.tag(value))
      case "all": purges.append(.everything)
      case "time":
        guard let number = UInt64(value) else {
          throw ServiceError(400, "The time is the number of milliseconds since 1970.")
        }
        time = number
      case "signature":
        guard part.endIndex == query.endIndex else {
          throw ServiceError(400, "The signature is the last part of a query.")
        }
        signature = (raw, Self.signed(target[..<target.index(before: part.startIndex)]))
      default:
        let shown = String(name.prefix(40))
        throw ServiceError(400, "A purge has the parts url, source, tag, all, time and signature, not '\(shown)'.")
      }
    }
    guard !purges.isEmpty else {
      throw ServiceError(
        400,
        "Name the pictures with url, source, tag or all, as in \(Self.path)?url=https%3A%2F%2Fexample.com%2Fa.jpg.")
    }
    guard purges.count <= Self.most else { throw ServiceError(400, "One request purges at most \(Self.most) things.") }
  }

  /// The text that is signed for a request to this target.
  package static func signed(_ target: some StringProtocol) -> String { "POST \(target)" }

  /// The target of a request, without a time and a signature.
  package static func target(_ purges: [Purge]) -> String {
    let parts = purges.map { purge in
      switch purge {
      case .source(let url): "url=\(escaped(url))"
      case .sources(let prefix): "source=\(escaped(prefix))"
      case .tag(let tag): "tag=\(escaped(tag))"
      case .everything: "all"
      }
    }
    return "\(path)?\(parts.joined(separator: "&"))"
  }

  private static func escaped(_ text: String) -> String {
    text.utf8.map { byte in
      let bytes = PercentEscapes.isUnreserved(byte) ? [byte] : PercentEscapes.escape(of: byte)
      return String(decoding: bytes, as: UTF8.self)
    }.joined()
  }
}

extension URLSigner {
  /// The target of a request to purge with its time and its signature; nil without a key.
  package func signedPurge(_ target: String, at milliseconds: UInt64) -> String? {
    let timed = "\(target)&time=\(milliseconds)"
    return keys.first.map { "\(timed)&signature=\(purgeSignature(of: PurgeCall.signed(timed), $0))" }
  }

  var hasKeys: Bool { !keys.isEmpty }

  /// True if one of the keys has made the signature; the time that this takes tells nothing.
  func acceptsPurge(_ signature: Substring, of text: String) -> Bool {
    var isRight = false
    for key in keys {
      let wanted = purgeSignature(of: text, key)
      isRight = Self.isSame(Array(signature.utf8.prefix(64)), Array(wanted.utf8)) || isRight
    }
    return isRight
  }

  // A signature of a picture is never that of a purge: its text begins with a slash.
  private func purgeSignature(of text: String, _ key: Key) -> String {
    Base64URL.encoded(HMAC.sha256(key.key, key.salt + Array(text.utf8)))
  }
}
