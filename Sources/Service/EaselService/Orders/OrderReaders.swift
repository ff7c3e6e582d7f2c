import EaselCore

/// The readers of the grammars of URLs.
package enum OrderReaders {
  /// The reader of a grammar.
  ///
  /// `sourceKey` decrypts sources; it has 16, 24 or 32 bytes. `mostSide` bounds the sizes of thumbor's URLs; it is nil if
  /// larger results are refused later.
  package static func reader(
    _ grammar: URLSigner.Grammar, rules: URLRules, signer: URLSigner?, formats: FormatNames, sourceKey: [UInt8]? = nil,
    mostSide: Int? = nil
  ) -> any URLGrammar {
    switch grammar {
    case .imgproxy:
      ImgproxyReader(rules: rules, signer: signer, formats: formats, sourceCipher: sourceKey.flatMap { AES(key: $0) })
    case .thumbor: ThumborReader(signer: signer, formats: formats, mostSide: mostSide)
    }
  }
}

extension Playground.Option {
  /// All options of imgproxy's grammar.
  public static let all: [Playground.Option] = ImgproxyOption.all.map {
    Playground.Option(name: $0.names[0], arguments: $0.arguments, help: $0.help)
  }
}
