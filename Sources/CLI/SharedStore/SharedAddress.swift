import Easel

/// The address of a store that several machines share, in the form of `--shared`.
struct SharedAddress: Hashable, Sendable {
  /// The engines that an address can name.
  enum Engine: String, CaseIterable, Sendable {
    case redis, memcached, s3

    /// The form of the engine's addresses.
    var form: String {
      switch self {
      case .redis: "redis://HOST"
      case .memcached: "memcached://HOST"
      case .s3: "s3://BUCKET/PREFIX"
      }
    }

    /// True for engines that hold small bodies in memory; they are asked first, and announce work to other machines.
    var isFast: Bool { self != .s3 }

    fileprivate var schemes: [String] {
      switch self {
      case .redis:
        ["redis", "rediss"].flatMap { [$0, "\($0)+sentinel", "\($0)+cluster"] } + ["redis+unix"]
      case .memcached: ["memcached"]
      case .s3: ["s3"]
      }
    }
  }

  let engine: Engine
  /// The address as given; it may contain a password.
  let text: String

  /// Reads `SCHEME://...`; throws if the scheme belongs to no engine.
  init(_ text: String) throws(ImageError) {
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let known = Engine.allCases.flatMap(\.schemes)
    guard text.dropFirst(scheme.count).hasPrefix("://") else {
      throw ImageError(
        .invalidURL, "A shared store is written \(Self.forms).", subject: Self.shown(text))
    }
    guard let engine = Engine.allCases.first(where: { $0.schemes.contains(scheme) }) else {
      let hint = NearestName.of(scheme, among: known).map { " Did you mean \($0)?" } ?? ""
      throw ImageError(
        .invalidURL,
        "No shared store has the scheme '\(printable(String(scheme.prefix(40))))'. Write \(Self.forms).\(hint)",
        subject: Self.shown(text))
    }
    self.engine = engine
    self.text = text
  }

  /// The address without its password, for people and logs.
  var shown: String { Self.shown(text) }

  /// True if the address contains a password.
  var hasPassword: Bool { shown != printable(text) }

  /// The forms of all addresses.
  static let forms = Engine.allCases.map(\.form).joined(separator: " or ")

  /// A text that may be an address, without a password that it may contain.
  static func shown(_ text: String) -> String {
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    let end = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    guard let at = text[start..<end].lastIndex(of: "@"), let colon = text[start..<at].firstIndex(of: ":") else {
      return printable(text)
    }
    return printable(text[...colon] + "(not shown)" + text[at...])
  }
}
