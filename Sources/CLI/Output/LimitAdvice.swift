/// Rewords messages of the library for the program: they advise to raise `Limits.framePixels`, and a user of the
/// program can only give `--max-pixels`.
struct LimitAdvice: Sendable {
  /// The option for each name of the library that an option can change.
  private let options: [String: String]

  /// Creates advice for a program whose command is not known yet.
  init() { options = [:] }

  /// Creates advice for a command.
  init(for command: CommandDescription) {
    let names = Set(command.options.map(\.name))
    var options: [String: String] = [:]
    for entry in Self.all where entry.commands?.contains(command.name) ?? true && names.contains(entry.option) {
      for name in entry.names { options[name] = "--" + entry.option }
    }
    self.options = options
  }

  /// The options of a command without dashes, keyed by the names of the library that they change.
  static func options(of command: CommandDescription) -> [String: String] {
    LimitAdvice(for: command).options.mapValues { String($0.dropFirst(2)) }
  }

  /// The options and the names that they change; `commands` lists the commands where this is the case, nil for all.
  private static let all: [(option: String, names: [String], commands: [String]?)] = [
    (
      CommonOptions.maxPixels.description.name,
      ["framePixels", "progressiveJPEGPixels", "side", "totalPixels", "resultSide", "resultPixels"].map {
        "Limits." + $0
      }, nil
    ),
    // In other commands, an option of this name limits the files that they write.
    (GetOptions.maxBytes.description.name, ["Limits.downloadBytes"], ["get"]),
    ("max-bytes", ["EncodeOptions.maxFileBytes"], ["convert", "watch"]),
    ("resize", ["EncodeOptions.maxPixelSize"], ["convert", "watch"]),
    ("size", ["EncodeOptions.maxPixelSize"], ["thumb"]),
    (CommonOptions.quality.description.name, ["EncodeOptions.quality"], nil),
    ("max-source-bytes", ["Limits.downloadBytes"], ["serve"]),
    ("max-source-pixels", ["Limits.framePixels"], ["serve"]), ("max-result-side", ["Limits.resultSide"], ["serve"]),
    ("max-result-pixels", ["Limits.resultPixels"], ["serve"]), ("decode-time", ["Limits.decodeTime"], ["serve"]),
  ]

  /// The types whose properties appear in messages, with words for the properties that no option changes.
  private static let types = [
    ("Limits.", "the limit"), ("EncodeOptions.maxFileBytes", "the limit"), ("EncodeOptions.maxPixelSize", "size"),
    ("EncodeOptions.quality", "quality"), ("Sandbox.Configuration.", "the limit"),
  ]

  /// The message with the options of the command instead of the names of the library.
  ///
  /// A sentence that advises to change a value without an option is left out.
  func applied(to message: String) -> String {
    guard Self.types.contains(where: { message.contains($0.0) }) else { return message }
    var (text, rest) = ("", message[...])
    while !rest.isEmpty {
      let end = rest.firstRange(of: ". ")?.upperBound ?? rest.endIndex
      text += applied(toSentence: rest[..<end]) ?? ""
      rest = rest[end...]
    }
    return text.trimmed
  }

  /// The reworded sentence; nil for advice that no option of the command can follow.
  private func applied(toSentence sentence: Substring) -> String? {
    var (text, isUseful) = (String(sentence), true)
    for (type, words) in Self.types {
      while let start = text.firstRange(of: type)?.lowerBound {
        let rest = text[start...].drop { $0 != "." }.dropFirst()
        let last = type.hasPrefix("Sandbox.") ? rest.drop { $0 != "." }.dropFirst() : rest
        let end = last.firstIndex { !($0.isASCII && ($0.isLetter || $0.isNumber)) } ?? text.endIndex
        let option = options[String(text[start..<end])]
        if option == nil { isUseful = false }
        text.replaceSubrange(start..<end, with: option ?? words)
      }
    }
    let isAdvice = ["Raise ", "Set "].contains(where: sentence.hasPrefix)
    return isUseful || !isAdvice ? text : nil
  }
}
