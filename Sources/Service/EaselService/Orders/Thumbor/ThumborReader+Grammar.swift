extension ThumborReader: URLGrammar {
  var name: String { "thumbor" }
  var traits: URLGrammarTraits { signer == nil ? [] : .checksSignatures }

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder { try order(at: address.path, now: 0) }
}
