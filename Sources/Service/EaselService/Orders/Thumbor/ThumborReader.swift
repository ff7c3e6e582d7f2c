import EaselCore

/// Reads URLs as thumbor writes them: `/SIGNATURE/fit-in/300x200/left/filters:blur(2):quality(80)/IMAGE`.
///
/// Each part may be left out, but the order is fixed. The first part that does not fit begins the address of the image.
struct ThumborReader: Sendable {
  /// The signer that checks signatures; nil to take every URL.
  let signer: URLSigner?
  /// The names of formats that URLs can have.
  let formats: FormatNames
  /// The most pixels of a side, to which sizes are reduced; nil if larger results are refused later.
  var mostSide: Int?
  /// The text before the address of an image that has no scheme.
  var base = "http://"

  private static let mostBytes = 16_384

  func order(at target: Substring, now: Int) throws(ServiceError) -> ImageOrder {
    let path = target.withoutQuery
    guard path.utf8.count <= Self.mostBytes else {
      throw ServiceError(400, "The address has more than \(Self.mostBytes) bytes.")
    }
    let signature = path.dropFirst().prefix { $0 != "/" }
    let signed = path.dropFirst(signature.count + 1)
    guard path.hasPrefix("/"), signed.hasPrefix("/") else { throw ServiceError(400, "The address has no image.") }
    try check(signature, of: signed)
    var parts = ThumborParts(signed.dropFirst())
    var draft = ThumborDraft(sources: ThumborSource(base: base), formats: formats)
    draft.size.most = mostSide ?? 0
    try Self.readParts(&parts, into: &draft)
    for call in try parts.filters() { try call.apply(to: &draft) }
    return draft.finished(source: try draft.sources.address(parts.rest, of: "image"))
  }

  private func check(_ signature: Substring, of path: Substring) throws(ServiceError) {
    guard let signer else { return }
    // Clients may encode the equals signs at the end.
    let plain = PercentText.decoded(signature.prefix(256))
    guard let plain, signer.accepts(plain[...], of: path) else {
      throw ServiceError(403, "The signature is not right.")
    }
  }

  /// Reads everything between the signature and the filters.
  private static func readParts(_ parts: inout ThumborParts, into draft: inout ThumborDraft) throws(ServiceError) {
    if parts.take({ $0 == "debug" }) != nil {
      throw ServiceError(400, "The part debug is not known here: focal points are not drawn.")
    }
    if parts.take({ $0 == "meta" }) != nil { draft.order.answer = .info }
    if let text = parts.take({ $0 == "trim" || $0.hasPrefix("trim:") }) { draft.trim = try ThumborTrim(text) }
    if let text = parts.take(ThumborCrop.isWritten(as:)) { draft.crop = try ThumborCrop(text) }
    if let text = parts.take(ThumborSize.isFitting(_:)) { draft.size.setFitting(text) }
    if let text = parts.take(ThumborSize.isSize(_:)) { draft.flips = try draft.size.setSides(text) }
    if let text = parts.take({ ["left", "center", "right"].contains($0) }) {
      draft.size.alignment.column = text == "left" ? 0 : text == "right" ? 2 : 1
    }
    if let text = parts.take({ ["top", "middle", "bottom"].contains($0) }) {
      draft.size.alignment.row = text == "top" ? 0 : text == "bottom" ? 2 : 1
    }
    if parts.take({ $0 == "smart" }) != nil { draft.size.alignment.isSmart = true }
  }
}

/// The parts of a path between slashes, which are taken from the front.
struct ThumborParts {
  private(set) var rest: Substring

  init(_ path: Substring) { rest = path }

  /// Takes the next part if it fits and something follows it.
  mutating func take(_ fits: (String) -> Bool) -> String? {
    let part = rest.prefix { $0 != "/" }
    guard part.endIndex < rest.endIndex, part.utf8.count <= Self.longestPart else { return nil }
    let next = rest[rest.index(after: part.endIndex)...]
    // Programs that pass addresses on may have encoded the colons.
    let text = part.contains("%") ? PercentText.withColons(part) : String(part)
    guard !next.isEmpty, fits(text) else { return nil }
    rest = next
    return text
  }

  private static let longestPart = 128

  /// Takes the filters, which end at the first closing bracket before a slash.
  mutating func filters() throws(ServiceError) -> [ThumborCall] {
    guard let prefix = ["filters:", "filters%3A", "filters%3a"].first(where: rest.hasPrefix) else { return [] }
    let text = rest.dropFirst(prefix.count)
    guard let end = text.firstRange(of: ")/") else {
      throw ServiceError(400, "The filters must end with ) and a slash, as in filters:blur(2):quality(80)/.")
    }
    rest = text[end.upperBound...]
    return try ThumborCall.all(in: PercentText.withColons(text[..<end.lowerBound]))
  }
}
