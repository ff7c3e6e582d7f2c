import EaselCore

/// The readers of the grammars of URLs.
package enum OrderReaders {
  package static func reader(
    _ grammar: URLSigner.Grammar, rules: URLRules, signer: URLSigner?, formats: FormatNames
  ) -> any OrderReader {
    switch grammar {
    case .imgproxy: ImgproxyReader(rules: rules, signer: signer, formats: formats)
    case .thumbor: ThumborReader(signer: signer, formats: formats)
    }
  }
}

extension Playground.Option {
  /// All options of imgproxy's grammar.
  public static let all: [Playground.Option] = ImgproxyOption.all.map {
    Playground.Option(name: $0.names[0], arguments: $0.arguments, help: $0.help)
  }
}
