import EaselCore
import EaselTransformers

/// URLs as Cloudflare's image transformations have them: `/width=300,fit=cover/https://example.com/cat.jpg`.
///
/// The options stand between commas, each as a name, an equals sign and a value. The source follows as it is, with its
/// query; without a scheme it is a file in the folder of the server. There are no signatures, so the sources must be
/// limited.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), grammars: [])
/// settings.sources = try SourceRules(allowing: ["https://example.com"])
/// settings.grammars = [GrammarMount(CloudflareGrammar(widths: [320, 640, 1280]), at: "/cdn-cgi/image")]
/// ```
public struct CloudflareGrammar: URLGrammar {
  /// The name is `cloudflare`.
  public var name: String { "cloudflare" }

  /// The query belongs to the source.
  public var traits: URLGrammarTraits { .readsQuery }

  private let widths: Set<Int>?
  private let qualities: Set<Int>?

  private static let mostOptions = 64

  /// Allows every size and quality, or only those of the lists.
  ///
  /// `widths` are those that `width` and `height` may have.
  public init(widths: Set<Int>? = nil, qualities: Set<Int>? = nil) {
    self.widths = widths
    self.qualities = qualities
  }

  /// Reads the options and the source.
  public func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder {
    let text = address.path.dropFirst()
    let options = text.prefix { $0 != "/" }
    guard options.endIndex < text.endIndex else {
      throw ServiceError(400, "The address has no source; write it as /width=300,quality=80/https://...")
    }
    var draft = CloudflareDraft(
      source: try Self.source(text[text.index(after: options.endIndex)...], query: address.query))
    let parts = options.split(separator: ",")
    guard !parts.isEmpty, parts.count <= Self.mostOptions else {
      throw ServiceError(400, "The address must have from one option to \(Self.mostOptions).")
    }
    for part in parts { try apply(part, to: &draft) }
    return try draft.finished()
  }

  private func apply(_ part: Substring, to draft: inout CloudflareDraft) throws(ServiceError) {
    let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = try GrammarAddress.decoded(sides[0])
    if let reason = CloudflareOption.refused[name] {
      throw ServiceError(400, "The option \(name) is not known here: \(reason).")
    }
    guard let option = CloudflareOption.byName[name] else {
      throw ServiceError(400, "There is no option '\(GrammarAddress.shown(name))'.")
    }
    let value = try sides.count > 1 ? GrammarAddress.decoded(sides[1]) : ""
    guard option.apply(&draft, value) else {
      throw ServiceError(
        400, "The option \(name) takes \(option.values), not '\(GrammarAddress.shown(value))'.")
    }
    try check(option, value)
  }

  /// Throws for a size or a quality that the lists do not have.
  private func check(_ option: CloudflareOption, _ value: String) throws(ServiceError) {
    let list = option.isSide ? widths : option.names[0] == "quality" ? qualities : nil
    guard let list, let number = Int(value), !list.contains(number) else { return }
    throw ServiceError(400, "The \(option.names[0]) \(number) is not allowed here.")
  }

  /// The source, which is an address as it is, or the path of a file.
  private static func source(_ text: Substring, query: Substring?) throws(ServiceError) -> String {
    guard !text.isEmpty else { throw ServiceError(400, "The address has no source.") }
    if GrammarSource.scheme(of: text) != nil {
      return GrammarSource.source(String(text) + (query.map { "?\($0)" } ?? ""))
    }
    let plain = try GrammarAddress.decoded(text)
    return GrammarSource.source(plain)
  }
}
