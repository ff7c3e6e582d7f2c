/// The advice in messages of the library, which names what a program that uses it can change.
///
/// The client of a server can change none of that, and does not know the names.
enum AdviceText {
  /// The types whose members messages name.
  private static let types = [
    "Limits.", "EncodeOptions.", "DecodeOptions.", "EncodeRecipe.", "ImageManager.", "ImageRequest.", "ImageService.",
    "Sandbox.", "SourceRules.", "WorkContext.", "ImageOptions.",
  ]

  /// A message without the sentences that advise to change something of the library.
  ///
  /// Names elsewhere become `the limit`.
  static func removed(from message: String) -> String {
    guard types.contains(where: { message.contains($0) }) else { return message }
    let kept = sentences(of: message).filter { !isAdvice($0) || name(in: $0) == nil }
    return kept.map(withoutNames).joined(separator: " ")
  }

  /// The first name of the library in a message, such as `Limits.framePixels`.
  static func name(in text: some StringProtocol) -> String? { place(ofNameIn: text).map { String(text[$0]) } }

  private static func sentences(of message: String) -> [String] {
    var (sentences, rest) = ([String](), message[...])
    while let end = rest.firstRange(of: ". ") {
      sentences.append(rest[..<end.lowerBound] + ".")
      rest = rest[end.upperBound...]
    }
    return sentences + (rest.isEmpty ? [] : [String(rest)])
  }

  /// True for a sentence that begins by telling someone to do something.
  private static func isAdvice(_ sentence: String) -> Bool {
    let verbs = ["Raise ", "Set ", "Give ", "Use ", "Load ", "Add ", "Call ", "Choose ", "Pass "]
    return verbs.contains(where: sentence.hasPrefix)
  }

  private static func withoutNames(_ sentence: String) -> String {
    var sentence = sentence
    while let place = place(ofNameIn: sentence) { sentence.replaceSubrange(place, with: "the limit") }
    return sentence
  }

  private static func place<Text: StringProtocol>(ofNameIn text: Text) -> Range<Text.Index>? {
    for type in types {
      guard let start = text.firstRange(of: type) else { continue }
      var end = text[start.upperBound...].firstIndex { !isInName($0) } ?? text.endIndex
      // The full stop of a sentence is no part of a name.
      while end > start.lowerBound, text[text.index(before: end)] == "." { end = text.index(before: end) }
      return start.lowerBound..<end
    }
    return nil
  }

  private static func isInName(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber) || character == "."
  }
}
