import EaselCore
import EaselTransformers

/// URLs as the image component of Next.js writes them: `/_next/image?url=%2Fcat.jpg&w=640&q=75`.
///
/// The width and the quality must be on lists, as there. A source without a scheme is a file in the folder of the server.
/// There are no signatures, so the sources must be limited.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), grammars: [])
/// settings.sources = try SourceRules(allowing: ["https://example.com"])
/// settings.grammars = [GrammarMount(NextGrammar(), at: "/_next/image")]
/// ```
public struct NextGrammar: URLGrammar {
  /// The widths that Next.js allows unless its configuration says something else.
  public static let widths: Set<Int> = [
    16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840,
  ]
  /// The qualities that Next.js allows unless its configuration says something else.
  public static let qualities: Set<Int> = [75]

  /// The name is `next`.
  public var name: String { "next" }

  /// Everything is in the query.
  public var traits: URLGrammarTraits { .readsQuery }

  private let widths: Set<Int>
  private let qualities: Set<Int>

  private static let mostBytes = 3072
  private static let names = ["url", "w", "q"]

  /// Allows these widths and qualities.
  public init(widths: Set<Int> = NextGrammar.widths, qualities: Set<Int> = NextGrammar.qualities) {
    self.widths = widths
    self.qualities = qualities
  }

  /// Reads the source, the width and the quality.
  public func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    guard address.path == "/" else { throw ServiceError(404, "There is nothing at this address.") }
    let values = try values(of: address)
    var order = ImageOrder(source: try source(values["url"] ?? ""))
    let width = try number(values, "w", "width", 1...100_000)
    guard widths.contains(width) else {
      throw ServiceError(400, "The parameter w, the width, of \(width) is not allowed.")
    }
    let quality = try number(values, "q", "quality", 1...100)
    guard qualities.contains(quality) else {
      throw ServiceError(400, "The parameter q, the quality, of \(quality) is not allowed.")
    }
    order.recipe.width = width
    order.quality = Double(quality) / 100
    return order
  }

  /// The parameters by their names, each of which may come once.
  private func values(of address: GrammarAddress) throws(ServiceError) -> [String: String] {
    var values: [String: String] = [:]
    for (name, value) in try address.parameters() {
      // Deployments keep their versions apart in caches with one more.
      if name == "dpl" { continue }
      guard Self.names.contains(name) else {
        throw ServiceError(400, "There is no parameter '\(GrammarAddress.shown(name))'; there are url, w and q.")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw ServiceError(400, "The parameter \(name) may be given only once.")
      }
    }
    for name in Self.names where values[name]?.isEmpty ?? true {
      throw ServiceError(400, "The parameter \(name) is missing.")
    }
    return values
  }

  private func source(_ text: String) throws(ServiceError) -> String {
    guard text.utf8.count <= Self.mostBytes else {
      throw ServiceError(400, "The parameter url has more than \(Self.mostBytes) bytes.")
    }
    guard !text.hasPrefix("//") else {
      throw ServiceError(400, "The parameter url must have a scheme before its slashes.")
    }
    guard text.hasPrefix("/") || GrammarSource.scheme(of: text) != nil else {
      throw ServiceError(400, "The parameter url must begin with https://, http:// or a slash.")
    }
    let path = text.withoutQuery
    guard path != "/_next/image", !path.hasPrefix("/_next/image/") else {
      throw ServiceError(400, "The parameter url leads to this server again.")
    }
    // The path of a file is escaped like one of a page.
    return GrammarSource.source(try text.hasPrefix("/") ? GrammarAddress.decoded(path) : text)
  }

  private func number(
    _ values: [String: String], _ name: String, _ meaning: String, _ range: ClosedRange<Int>
  ) throws(ServiceError) -> Int {
    guard let number = GrammarNumber.whole(values[name] ?? "", range) else {
      throw ServiceError(
        400,
        "The parameter \(name), the \(meaning), must be a whole number from \(range.lowerBound) to "
          + "\(range.upperBound), not '\(GrammarAddress.shown(values[name] ?? ""))'.")
    }
    return number
  }
}
