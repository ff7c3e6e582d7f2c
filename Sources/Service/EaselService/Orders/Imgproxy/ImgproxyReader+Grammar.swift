extension ImgproxyReader: URLGrammar {
  var name: String { "imgproxy" }
  var traits: URLGrammarTraits { signer == nil ? [] : .checksSignatures }

  func order(at address: GrammarAddress) throws(ServiceError) -> ImageOrder { try order(at: address.path, now: 0) }
}
