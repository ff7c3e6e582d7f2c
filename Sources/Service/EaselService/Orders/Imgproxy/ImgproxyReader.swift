import EaselCore

/// Reads URLs as imgproxy writes them: `/SIGNATURE/option:argument/.../plain/SOURCE@format`, or with the source in
/// base64.
struct ImgproxyReader: Sendable {
  let rules: URLRules
  /// The signer that checks signatures; nil to take every URL.
  let signer: URLSigner?
  /// The names of formats that URLs can have.
  let formats: FormatNames
  /// The cipher of encrypted sources; nil if there are none.
  var sourceCipher: AES?

  private static let mostSegments = 256

  func order(at target: Substring, now: Int) throws(ServiceError) -> ImageOrder {
    var path = target.withoutQuery
    var answer = ImageOrder.Content.picture
    if path.hasPrefix("/info/") {
      answer = .info
      path = path.dropFirst(5)
    }
    let signature = path.dropFirst().prefix { $0 != "/" }
    let signed = path.dropFirst(signature.count + 1)
    guard signed.hasPrefix("/") else { throw ServiceError(400, "The address has no options and no source.") }
    try check(signature, of: signed)
    var order = try order(signed)
    if answer == .info { order.answer = .info }
    return order
  }

  /// A signature may be that of the path before a program that passed it on changed it.
  private func check(_ signature: Substring, of path: Substring) throws(ServiceError) {
    guard let signer else { return }
    if signer.accepts(signature, of: path) { return }
    let repaired = Self.repairedPath(path)
    guard repaired != path, signer.accepts(signature, of: repaired[...]) else {
      throw ServiceError(403, "The signature is not right.")
    }
  }

  /// The path with the colons of options and the slashes of a source that some programs encode or remove.
  private static func repairedPath(_ path: Substring) -> String {
    guard let mark = path.firstRange(of: "/plain/") else { return PercentText.withColons(path) }
    let options = path[..<mark.lowerBound]
    return "\(PercentText.withColons(options))/plain/\(repaired(String(path[mark.upperBound...])))"
  }

  private func order(_ path: Substring) throws(ServiceError) -> ImageOrder {
    var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)[...]
    var draft = ImgproxyDraft(formats)
    try rules.applyDefault(to: &draft)
    var count = 0
    while let segment = segments.first, segment != "plain", !segment.isEmpty {
      // Programs that pass addresses on may have encoded the colons.
      let text = segment.contains("%") ? PercentText.withColons(segment) : String(segment)
      let isPreset = rules.usesOnlyPresets && segments.count > 1 && rules.isPreset(text)
      let endsPipeline = text == ImgproxyOption.nextPipeline && !rules.usesOnlyPresets
      guard text.contains(":") || isPreset || endsPipeline else { break }
      count += 1
      guard count <= Self.mostSegments else {
        throw ServiceError(400, "The address has more than \(Self.mostSegments) options.")
      }
      try rules.apply(text, to: &draft)
      segments.removeFirst()
    }
    guard let first = segments.first else { throw ServiceError(400, "The address has no source.") }
    let source: (text: String, format: Substring?)
    if first == "plain" {
      source = try Self.plain(path[segments.dropFirst().startIndex(in: path)...])
    } else if first == "enc" {
      source = try encrypted(segments.dropFirst())
    } else {
      source = try Self.encoded(segments)
    }
    if let format = source.format, !format.isEmpty {
      let before = draft.order
      guard draft.takeFormat(named: format) else {
        throw ServiceError(400, "The address ends with a format that is not known: '\(format.prefix(20))'.")
      }
      // An original stays what it is.
      if before.answer == .original { draft.order = before }
    }
    return try draft.finished(source: Self.repaired(source.text))
  }

  /// A source as it is, up to an `@`, decoded once.
  private static func plain(_ text: Substring) throws(ServiceError) -> (String, Substring?) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw ServiceError(400, "The source has more than one @; write it as %40.") }
    guard let source = PercentText.decoded(parts[0]), !source.isEmpty else {
      throw ServiceError(400, "The address has no source, or one whose percent signs are not followed by two digits.")
    }
    return (source, parts.count > 1 ? parts[1] : nil)
  }

  /// A source in base64, which may have slashes anywhere, up to a dot.
  private static func encoded(_ segments: ArraySlice<Substring>) throws(ServiceError) -> (String, Substring?) {
    let text = segments.joined()
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let bytes = Base64URL.decoded(parts[0]), !bytes.isEmpty,
      let source = String(validating: bytes, as: UTF8.self)
    else {
      let first = segments.first?.prefix(40) ?? ""
      throw ServiceError(
        400, "'\(first)' is neither an option nor a source; write a source after plain/ or in base64 for URLs.")
    }
    return (source, parts.count > 1 ? parts[1] : nil)
  }

  /// A source in base64 that is encrypted.
  ///
  /// All errors are one, so that nobody can find a source by trying.
  private func encrypted(_ segments: ArraySlice<Substring>) throws(ServiceError) -> (String, Substring?) {
    guard let sourceCipher else {
      throw ServiceError(400, "This server has no key for encrypted sources; it is set with source-key.")
    }
    let parts = segments.joined().split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let bytes = Base64URL.decoded(parts[0]),
      let plain = sourceCipher.decrypted(bytes), !plain.isEmpty, let source = String(validating: plain, as: UTF8.self)
    else { throw ServiceError(400, "The encrypted source cannot be read.") }
    return (source, parts.count > 1 ? parts[1] : nil)
  }

  /// The address with both slashes, of which some programs remove one.
  private static func repaired(_ source: String) -> String {
    guard let colon = source.firstIndex(of: ":") else { return source }
    let rest = source[source.index(after: colon)...]
    guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { return source }
    let isFolder = HTTPHeaders.folded(String(source[..<colon])) == "local"
    return "\(source[...colon])\(isFolder ? "//" : "/")\(rest)"
  }
}

extension ArraySlice<Substring> {
  /// The place in the text where these parts of it begin.
  fileprivate func startIndex(in text: Substring) -> Substring.Index { first?.startIndex ?? text.endIndex }
}

extension PercentText {
  /// The text with every `%3A` written as a colon.
  static func withColons(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[percent...]
      if rest.hasPrefix("%3A") || rest.hasPrefix("%3a") {
        result += ":"
        rest = rest.dropFirst(3)
      } else {
        result += "%"
        rest = rest.dropFirst()
      }
    }
    return result + rest
  }
}
