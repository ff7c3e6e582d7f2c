/// Bytes by which a format is recognized: all marks must be found.
struct HelperSignature: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    /// The places at which the first byte may be.
    let places: ClosedRange<Int>
    let bytes: [UInt8]

    func isIn(_ prefix: [UInt8]) -> Bool {
      places.contains { $0 + bytes.count <= prefix.count && prefix[$0..<($0 + bytes.count)].elementsEqual(bytes) }
    }
  }

  let marks: [Mark]

  func matches(_ prefix: [UInt8]) -> Bool { marks.allSatisfy { $0.isIn(prefix) } }
}

extension HelperSignature {
  /// Reads pairs of a place and bytes, such as `0 "RIFF" 8 "AVI "` or `0-200 25504446`.
  ///
  /// Throws if a mark is not within the first `length` bytes.
  init(_ text: String, within length: Int) throws(HelperCard.Mistake) {
    var words = HelperSignatureWords(text)
    var marks: [Mark] = []
    while let place = try words.next() {
      guard case .plain(let word) = place, let places = Self.places(word) else {
        throw HelperCard.Mistake("a signature begins with a place, such as 0 or 0-200")
      }
      let bytes: [UInt8]? =
        switch try words.next() {
        case .quoted(let bytes)?: bytes
        case .plain(let word)?: Self.bytes(word)
        case nil: nil
        }
      guard let bytes, !bytes.isEmpty else {
        throw HelperCard.Mistake("the place \(word) needs bytes: a text in quotes, or hexadecimal digits")
      }
      guard places.upperBound <= length - bytes.count else {
        throw HelperCard.Mistake("a signature must be in the first \(length) bytes of a file")
      }
      marks.append(Mark(places: places, bytes: bytes))
    }
    guard !marks.isEmpty else { throw HelperCard.Mistake("a signature needs a place and bytes, such as 0 \"%PDF-\"") }
    self.marks = marks
  }

  private static func places(_ word: String) -> ClosedRange<Int>? {
    let ends = word.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1], first >= 0, first <= last
    else { return nil }
    return first...last
  }

  private static func bytes(_ word: String) -> [UInt8]? {
    let digits = word.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    return bytes
  }
}

/// The words of a signature; those in quotes may contain blanks.
private struct HelperSignatureWords {
  enum Word {
    case plain(String)
    case quoted([UInt8])
  }

  private var rest: Substring.UTF8View

  init(_ text: String) { rest = Substring(text).utf8 }

  mutating func next() throws(HelperCard.Mistake) -> Word? {
    rest = rest.drop { $0 == UInt8(ascii: " ") }
    guard let first = rest.first else { return nil }
    guard first == UInt8(ascii: "\"") else {
      let word = rest.prefix { $0 != UInt8(ascii: " ") }
      rest = rest.dropFirst(word.count)
      return .plain(String(decoding: word, as: UTF8.self))
    }
    let text = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
    rest = rest.dropFirst(text.count + 1)
    guard rest.first != nil else { throw HelperCard.Mistake("a quote is not closed") }
    rest = rest.dropFirst()
    return .quoted(Array(text))
  }
}
