import Easel

/// The options for loading.
enum GetOptions {
  static let cache = Option<String>.text(
    "cache", "DIR", "The directory of the disk cache; that of the user unless given.", completion: .directories)
  static let noCache = Option<Bool>.flag("no-cache", "Neither look in a cache nor keep anything.")
  static let refresh = Option<Bool>.flag("refresh", "Ask the server whether what is cached is still the right one.")
  static let policy = Option<CachePolicyName>.choice(
    "policy", "POLICY",
    "When a cached picture may be used: forever, until it expires from the cache, or http, as its server allowed; "
      + "forever unless given.")
  static let header = Option<HeaderField>(
    OptionDescription(
      name: "header", letter: "H", placeholder: "K:V", expectation: "a header field such as 'Authorization: Bearer x'",
      help: "Send this header field.", mayRepeat: true)
  ) { field($0) }
  static let output = Option<String>.text(
    "output", letter: "o", "DIR", "Where to write what was loaded; nowhere unless given.", completion: .directories)
  static let jobs = Option<Int>.integer(
    "jobs", "N", in: 1...256, "How many loads may be under way at the same time; 6 unless given.")
  static let retry = Option<Int>.integer(
    "retry", "N", in: 0...100, "Try again up to N times, after longer and longer pauses; 0 unless given.")
  static let timeout = Option<Double>.number(
    "timeout", "S", in: 0.001...1e6, "a number of seconds",
    "Give up a transfer that takes longer than S seconds, 600 by default.")
  static let maxBytes = Option<Int>.bytes("max-bytes", "Refuse bodies that are longer; 100 MiB unless given.")
  static let insecure = Option<Bool>.flag("insecure", "Go on with certificates that nobody vouches for.")
  static let authority = Option<String>.text(
    "ca", "FILE", "Trust the certificate authorities of this file only.", completion: .files)
  static let denyPrivate = Option<Bool>.flag(
    "deny-private", "Refuse private, loopback and link-local addresses, and files.")
  static let dataOnly = Option<Bool>.flag("data-only", "Load the bytes and do not decode them.")

  struct HeaderField: Sendable {
    let name: String
    let value: String
  }

  enum CachePolicyName: String, CaseIterable {
    case forever, http

    var policy: CachePolicy { self == .http ? .http : .forever }
  }

  private static func field(_ text: String) -> HeaderField? {
    guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return nil }
    let name = text[..<colon]
    let value = text[text.index(after: colon)...].drop { $0 == " " }
    // A line break would make the rest of a value another field.
    let isSafe = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard isSafe, name.allSatisfy({ $0.isASCII && $0 != " " }) else { return nil }
    return HeaderField(name: String(name), value: String(value))
  }
}
