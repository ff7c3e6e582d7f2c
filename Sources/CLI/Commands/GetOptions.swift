import Easel

/// The options for loading.
enum GetOptions {
  static let cache = Option<String>.text(
    "cache", "DIR", "The directory of the disk cache. The default is the user's own cache.", completion: .directories)
  static let noCache = Option<Bool>.flag("no-cache", "Use no cache, neither to read nor to store.")
  static let refresh = Option<Bool>.flag("refresh", "Ask the server whether a cached picture is still current.")
  static let policy = Option<CachePolicyName>.choice(
    "policy", "POLICY",
    "When a cached picture may be used: forever means until the cache removes it, and http means as its server "
      + "allows. The default is forever.")
  static let header = Option<HeaderField>(
    OptionDescription(
      name: "header", letter: "H", placeholder: "K:V", expectation: "a header field such as 'Authorization: Bearer x'",
      help: "Send this header field.", mayRepeat: true)
  ) { field($0) }
  static let output = Option<String>.text(
    "output", letter: "o", "DIR", "The directory for files. Without it none are written.", completion: .directories)
  static let jobs = Option<Int>.integer(
    "jobs", "N", in: 1...256, "How many loads may run at the same time. The default is 6.")
  static let retry = Option<Int>.integer(
    "retry", "N", in: 0...100, "Try again up to N times, after longer and longer pauses. The default is 0.")
  static let timeout = Option<Double>.number(
    "timeout", "S", in: 0.001...1e6, "a number of seconds",
    "Give up a transfer that takes longer than S seconds. The default is 600.")
  static let maxBytes = Option<Int>.bytes("max-bytes", "Refuse bodies that are longer. The default is 100 MiB.")
  static let insecure = Option<Bool>.flag("insecure", "Accept certificates that cannot be verified.")
  static let authority = Option<String>.text(
    "ca", "FILE", "Trust the certificate authorities of this file only.", completion: .files)
  static let denyPrivate = Option<Bool>.flag(
    "deny-private", "Refuse private, loopback and link-local addresses, and files.")
  static let trace = Option<String>.text(
    "trace", "FILE",
    "Write what each load did, when, and what it shared, in Chrome's trace format. Perfetto shows it.",
    completion: .files)
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
    // With a line break, the rest of a value would become another field.
    let isSafe = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard isSafe, name.allSatisfy({ $0.isASCII && $0 != " " }) else { return nil }
    return HeaderField(name: String(name), value: String(value))
  }
}
