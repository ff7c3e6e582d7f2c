import EaselCore

/// A grammar, and the place at which a service serves it.
///
/// ```swift
/// var settings = ImageService.Configuration(.standard(), signer: nil)
/// settings.grammars.append(GrammarMount(NextGrammar(), at: "/_next/image"))
/// ```
public struct GrammarMount: Sendable {
  /// The grammar that reads the rest of the path.
  public var grammar: any URLGrammar
  /// The beginning of the paths, without a slash at its end; empty for all paths that no other grammar has.
  public var prefix: String
  /// The sources that the grammar may name; nil for those of the service.
  public var sources: SourceRules?

  /// Puts a grammar at a prefix, such as `/iiif`.
  public init(_ grammar: any URLGrammar, at prefix: String = "", sources: SourceRules? = nil) {
    self.grammar = grammar
    self.prefix = prefix
    self.sources = sources
  }

  /// The target after the prefix; nil if it belongs to another grammar.
  func rest(of target: Substring) -> Substring? {
    guard target.hasPrefix(prefix) else { return nil }
    let rest = target.dropFirst(prefix.count)
    return prefix.isEmpty || rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") ? rest : nil
  }
}

/// An address of a picture, with the grammar that reads it.
struct MountedAddress: Sendable {
  let mount: GrammarMount
  let address: GrammarAddress
  /// The path from the prefix on, and the query if it counts.
  let target: Substring

  /// The address of a target, without the query if that means nothing; nil if no grammar is served there.
  init?(_ target: Substring, among mounts: [GrammarMount]) {
    let found = mounts.lazy.compactMap { mount in mount.rest(of: target).map { (mount: mount, rest: $0) } }.first
    guard let (mount, rest) = found else { return nil }
    let readsQuery = mount.grammar.traits.contains(.readsQuery)
    self.mount = mount
    address = GrammarAddress(readsQuery ? rest : rest.withoutQuery)
    self.target = readsQuery ? target : target.withoutQuery
  }
}
