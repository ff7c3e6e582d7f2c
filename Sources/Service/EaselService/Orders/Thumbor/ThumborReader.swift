import EaselCore
import EaselTransformers

/// Reads URLs as thumbor writes them:
/// `/SIGNATURE/meta/trim/10x20:110x120/fit-in/-300x200/left/top/smart/filters:blur(2):format(webp)/SOURCE`.
struct ThumborReader: OrderReader {
  /// The signer that checks signatures; nil to take every URL.
  let signer: URLSigner?

  private static let mostFilters = 64

  func order(at target: Substring, now: Int) throws(ServiceError) -> PictureOrder {
    // The source of thumbor may have a query, so nothing is cut off.
    let signature = target.dropFirst().prefix { $0 != "/" }
    let signed = target.dropFirst(signature.count + 1)
    guard signed.hasPrefix("/") else { throw ServiceError(400, "The address has no source.") }
    if let signer {
      guard signer.accepts(signature, of: signed) else { throw ServiceError(403, "The signature is not right.") }
    }
    var rest = Parts(text: signed.dropFirst())
    var draft = ThumborDraft()
    if rest.take("meta") { draft.order.answer = .info }
    try readTrim(&rest, &draft)
    try readCrop(&rest, &draft)
    try readFitting(&rest, &draft)
    try readSize(&rest, &draft)
    readAlignment(&rest, &draft)
    if rest.take("smart") { draft.isSmart = true }
    try readFilters(&rest, &draft)
    guard !rest.text.isEmpty, let source = PercentText.decoded(rest.text) else {
      throw ServiceError(400, "The address has no source, or one whose percent signs are not followed by two digits.")
    }
    return try draft.finished(source: Self.address(source))
  }

  /// The address of a source; without a scheme it is one of http, as in thumbor.
  static func address(_ text: String) -> String {
    if text.contains("://") { return text }
    // Some programs remove one of two slashes.
    for scheme in ["http:/", "https:/"] where text.hasPrefix(scheme) {
      return scheme + "/" + text.dropFirst(scheme.count)
    }
    return "http://" + text
  }

  /// The rest of a path, of which parts are taken.
  private struct Parts {
    var text: Substring

    /// The next part; nil if it is the last one, which belongs to the source.
    var next: Substring? {
      let part = text.prefix { $0 != "/" }
      return part.endIndex == text.endIndex ? nil : part
    }

    mutating func take(_ part: String) -> Bool {
      guard next == part[...] else { return false }
      drop()
      return true
    }

    mutating func drop() { text = text.dropFirst((next ?? text[...]).count + 1) }
  }

  // MARK: Parts

  private func readTrim(_ rest: inout Parts, _ draft: inout ThumborDraft) throws(ServiceError) {
    guard let part = rest.next, part == "trim" || part.hasPrefix("trim:") else { return }
    let words = part.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
    var tolerance = 0
    for word in words {
      if word == "top-left" { continue }
      guard let number = Int(word), (0...442).contains(number) else {
        throw ServiceError(
          400, "trim takes top-left and a tolerance from 0 to 442, not '\(word.prefix(40))'.")
      }
      tolerance = number
    }
    // thumbor measures the distance of colours in space; this is the same for greys.
    draft.trim = .trim(tolerance: min(255, Double(tolerance) / 3.0.squareRoot()))
    rest.drop()
  }

  private func readCrop(_ rest: inout Parts, _ draft: inout ThumborDraft) throws(ServiceError) {
    guard let part = rest.next else { return }
    let corners = part.split(separator: ":", omittingEmptySubsequences: false).map { Self.pair($0) }
    guard corners.count == 2, let start = corners[0], let end = corners[1], start.0 >= 0, start.1 >= 0 else { return }
    rest.drop()
    if start == (0, 0), end == (0, 0) { return }
    guard end.0 > start.0, end.1 > start.1 else {
      throw ServiceError(400, "A crop such as 10x20:110x120 ends to the right of and below its beginning.")
    }
    draft.crop = .crop(x: start.0, y: start.1, width: end.0 - start.0, height: end.1 - start.1)
  }

  private func readFitting(_ rest: inout Parts, _ draft: inout ThumborDraft) throws(ServiceError) {
    if rest.take("fit-in") { return draft.fitsIn = true }
    for name in ["adaptive-fit-in", "full-fit-in", "adaptive-full-fit-in"] where rest.next == name[...] {
      throw ServiceError(400, "The fitting \(name) is not known here; use fit-in, or a size without it.")
    }
  }

  private func readSize(_ rest: inout Parts, _ draft: inout ThumborDraft) throws(ServiceError) {
    guard let part = rest.next else { return }
    if part == "origxorig" { return rest.drop() }
    guard let size = Self.pair(part) else {
      guard part.hasPrefix("orig") || part.hasSuffix("xorig") else { return }
      throw ServiceError(400, "A side of orig needs the other side to be orig as well.")
    }
    rest.drop()
    draft.flips = (part.hasPrefix("-"), part.contains("x-"))
    (draft.width, draft.height) = (abs(size.0), abs(size.1))
  }

  private func readAlignment(_ rest: inout Parts, _ draft: inout ThumborDraft) {
    if rest.take("left") {
      draft.horizontal = .start
    } else if rest.take("right") {
      draft.horizontal = .end
    } else {
      _ = rest.take("center")
    }
    if rest.take("top") {
      draft.vertical = .start
    } else if rest.take("bottom") {
      draft.vertical = .end
    } else {
      _ = rest.take("middle")
    }
  }

  /// Two numbers such as `300x-200`; a side that is left out is 0.
  private static func pair(_ text: Substring) -> (Int, Int)? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, !(sides[0].isEmpty && sides[1].isEmpty) else { return nil }
    func side(_ text: Substring) -> Int? {
      if text.isEmpty || text == "-" { return 0 }
      guard text.utf8.count <= 8, text.first != "+" else { return nil }
      return Int(text)
    }
    guard let width = side(sides[0]), let height = side(sides[1]) else { return nil }
    return (width, height)
  }

  // MARK: Filters

  private func readFilters(_ rest: inout Parts, _ draft: inout ThumborDraft) throws(ServiceError) {
    guard rest.text.hasPrefix("filters:") else { return }
    var text = rest.text.dropFirst(8)
    for _ in 0..<Self.mostFilters {
      if text.hasPrefix("/") {
        rest.text = text.dropFirst()
        return
      }
      if text.hasPrefix(":") { text = text.dropFirst() }
      let name = text.prefix { $0 != "(" && $0 != "/" }
      guard text[name.endIndex...].hasPrefix("("), let end = Self.end(of: text[name.endIndex...]) else {
        throw ServiceError(400, "The filters must be written as filters:name(arguments):name(arguments)/.")
      }
      try apply(String(name), text[text.index(after: name.endIndex)..<end], &draft)
      text = text[text.index(after: end)...]
    }
    throw ServiceError(400, "The address has more than \(Self.mostFilters) filters.")
  }

  /// The bracket that closes the first one, with brackets inside.
  private static func end(of text: Substring) -> Substring.Index? {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return index }
    }
    return nil
  }

  private func apply(_ name: String, _ arguments: Substring, _ draft: inout ThumborDraft) throws(ServiceError) {
    guard let filter = ThumborFilter.byName[name] else {
      let reason = ThumborFilter.refused[name]
      throw ServiceError(
        400, reason.map { "The filter \(name) is not known here: \($0)." } ?? "There is no filter '\(name.prefix(40))'."
      )
    }
    var values: [String] = []
    for part in arguments.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = PercentText.decoded(part), values.count < 16 else {
        throw ServiceError(
          400, "The arguments of the filter \(name) cannot be read; write it as \(name)(\(filter.arguments)).")
      }
      values.append(value)
    }
    try filter.apply(&draft, ThumborArguments(filter: name, values: values, usage: filter.arguments))
  }
}
