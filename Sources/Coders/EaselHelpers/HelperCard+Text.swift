import EaselCore

extension HelperCard {
  /// Reads the text of a card, which consists of `name = value` lines; lines that begin with `#` are comments.
  init(_ text: String) throws(Mistake) {
    var fields = Fields()
    // A line break of Windows is one character, so lines are split at its last scalar.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let line = Self.trimmed(Substring(line))
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      do throws(Mistake) {
        try fields.read(line)
      } catch {
        throw Mistake("line \(index + 1): \(error.message)")
      }
    }
    self = try fields.card()
  }

  fileprivate static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// The fields that have been read.
  private struct Fields {
    private var coder: String?
    private var program: String?
    private var formats: [Format] = []
    private var signatures: [HelperSignature] = []
    private var flags: [String: Bool] = [:]
    private var numbers: [String: Int] = [:]

    private static let flagNames = ["drawing", "threads", "asked-first"]
    /// The names of numbers, with their defaults and their greatest values.
    private static let numberNames = [
      "memory-mib": (256, 65_536), "nanoseconds-per-pixel": (100, 1_000_000), "bytes-per-pixel": (12, 1000),
    ]
    private static var names: [String] {
      ["coder", "program", "format", "signature"] + flagNames + numberNames.keys.sorted()
    }

    mutating func read(_ line: Substring) throws(Mistake) {
      guard let equals = line.firstIndex(of: "=") else { throw Mistake("the line is no setting; write name = value") }
      let name = String(trimmed(line[..<equals])), value = String(trimmed(line[line.index(after: equals)...]))
      switch name {
      case "coder": coder = try once(coder, name, Self.identifier(value))
      case "program": program = try once(program, name, Self.path(value))
      case "format": formats.append(try Self.format(value))
      case "signature": signatures.append(try HelperSignature(value, within: HelperCoder.sniffLength))
      case _ where Self.flagNames.contains(name):
        guard ["yes", "no"].contains(value) else { throw Mistake("\(name) is yes or no") }
        flags[name] = try once(flags[name], name, value == "yes")
      default:
        guard let (_, most) = Self.numberNames[name] else {
          throw Mistake("there is no \(name); the names are \(Self.names.joined(separator: ", "))")
        }
        guard let number = Int(value), (0...most).contains(number) else {
          throw Mistake("\(name) is a whole number from 0 to \(most)")
        }
        numbers[name] = try once(numbers[name], name, number)
      }
    }

    private func once<Value>(_ before: Value?, _ name: String, _ value: Value) throws(Mistake) -> Value {
      guard before == nil else { throw Mistake("\(name) is there twice") }
      return value
    }

    private static func identifier(_ value: String) throws(Mistake) -> String {
      let isName = value.utf8.allSatisfy {
        ("a"..."z").contains(UnicodeScalar($0)) || ("0"..."9").contains(UnicodeScalar($0))
      }
      guard isName, (1...32).contains(value.utf8.count) else {
        throw Mistake("coder is a name of at most 32 small letters and digits")
      }
      return value
    }

    private static func path(_ value: String) throws(Mistake) -> String {
      guard value.hasPrefix("/"), !value.utf8.contains(0) else { throw Mistake("program is a path that begins with /") }
      return value
    }

    private static func format(_ value: String) throws(Mistake) -> Format {
      let words = value.split(separator: " ").map(String.init)
      let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789-+._")
      let parts = words.first?.split(separator: "/", omittingEmptySubsequences: false) ?? []
      guard words.count > 1, parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(allowed.contains) })
      else {
        throw Mistake("format is a MIME type in small letters, and extensions of files, such as application/pdf pdf")
      }
      let extensions = Array(words.dropFirst())
      guard extensions.allSatisfy({ !$0.hasPrefix(".") && $0.allSatisfy(allowed.contains) }) else {
        throw Mistake("an extension has no dot, and small letters")
      }
      return Format(format: ImageFormat(mimeType: words[0]), extensions: extensions)
    }

    func card() throws(Mistake) -> HelperCard {
      guard let coder else { throw Mistake("the line coder = NAME is missing") }
      guard let program else { throw Mistake("the line program = PATH is missing") }
      guard !formats.isEmpty else { throw Mistake("a line format = TYPE EXTENSION is missing") }
      guard !signatures.isEmpty else { throw Mistake("a line signature = PLACE BYTES is missing") }
      func number(_ name: String) -> Int { numbers[name] ?? Self.numberNames[name]!.0 }
      return HelperCard(
        coder: coder, program: program, formatsAndExtensions: formats, signatures: signatures,
        isDrawing: flags["drawing"] ?? false, startsThreads: flags["threads"] ?? false,
        isAskedFirst: flags["asked-first"] ?? false, memory: number("memory-mib"),
        nanosecondsPerPixel: Double(number("nanoseconds-per-pixel")), bytesPerPixel: Double(number("bytes-per-pixel")))
    }
  }
}
