import EaselCore

/// Reads the header of a PNM, byte by byte, and counts its comments.
struct PNMHeaderReader {
  /// The reason why a header cannot be read.
  enum Fault: Error {
    /// The bytes end before the header does.
    case ends
    /// The bytes break a rule.
    case breaks(String)
    /// The file is sound, but Easel has no pixels of this kind.
    case unsupported(String)
    case failed(ImageError)
  }

  /// The position after the header, once the header is read.
  private(set) var reader: ByteReader
  /// The number of bytes in comments so far.
  private(set) var commentBytes = 0
  private let mostCommentBytes: Int

  /// The longest word that a PAM can contain.
  private static let longestWord = 64
  private static let longestType = 256

  init(_ bytes: ImageBytes, limits: Limits) {
    reader = ByteReader(bytes)
    mostCommentBytes = limits.metadataBytes
  }

  mutating func read() throws(Fault) -> PNMHeader {
    guard try next() == UInt8(ascii: "P") else { throw .breaks("it does not begin with P1 to P7") }
    let kind = try next()
    guard (UInt8(ascii: "1")...UInt8(ascii: "7")).contains(kind) else {
      throw .breaks("it does not begin with P1 to P7")
    }
    let after = try peek()
    guard after.isPNMBlank || after == UInt8(ascii: "#") && kind != UInt8(ascii: "7") else {
      throw .breaks("there is no blank after its first two bytes")
    }
    if kind == UInt8(ascii: "7") { return try readFields() }
    let width = try readNumber("width")
    let height = try readNumber("height")
    let bits = kind == UInt8(ascii: "1") || kind == UInt8(ascii: "4")
    let most = bits ? 1 : try readNumber("highest value")
    // Exactly one blank precedes the pixels. A comment ends with this blank.
    let end = try next()
    guard end.isPNMBlank || end == UInt8(ascii: "#") else { throw .breaks("there is no blank after its header") }
    if end == UInt8(ascii: "#") { try skipComment() }
    let isPlain = kind <= UInt8(ascii: "3")
    return try checked(
      PNMHeader(
        size: PixelSize(width: width, height: height),
        raster: isPlain ? (bits ? .plainBits : .plainNumbers) : (bits ? .bits : .bytes), most: most,
        channels: kind == UInt8(ascii: "3") || kind == UInt8(ascii: "6") ? 3 : 1))
  }

  private func checked(_ header: PNMHeader) throws(Fault) -> PNMHeader {
    guard !header.size.isEmpty else { throw .breaks("it claims \(header.size), which has no pixels") }
    guard (1...65_535).contains(header.most) else {
      throw .breaks("its highest value is \(header.most); it must be from 1 to 65535")
    }
    return header
  }

  // MARK: PAM

  private mutating func readFields() throws(Fault) -> PNMHeader {
    guard try next() == UInt8(ascii: "\n") else { throw .breaks("there is no line end after P7") }
    var fields: [String: Int] = [:]
    var type = ""
    while true {
      let word = try readWord()
      switch word {
      case "": continue
      case "ENDHDR": return try header(fields, type)
      case "WIDTH", "HEIGHT", "DEPTH", "MAXVAL":
        guard fields[word] == nil else { throw .breaks("it states \(word) twice") }
        fields[word] = try readNumber(word)
      case "TUPLTYPE":
        // Several lines can state one type together.
        let rest = try readRestOfLine()
        type += type.isEmpty || rest.isEmpty ? rest : " " + rest
        guard type.utf8.count <= Self.longestType else { throw .breaks("its TUPLTYPE is too long") }
      default: throw .breaks("its header has a line that no PAM has")
      }
      try readLineEnd()
    }
  }

  private func header(_ fields: [String: Int], _ type: String) throws(Fault) -> PNMHeader {
    guard let width = fields["WIDTH"], let height = fields["HEIGHT"], let depth = fields["DEPTH"],
      let most = fields["MAXVAL"]
    else { throw .breaks("its header lacks WIDTH, HEIGHT, DEPTH or MAXVAL") }
    if !type.isEmpty {
      guard let channels = Self.channels[type] else {
        throw .unsupported("pixels of the type \(type) are not read; they must be black and white, grey or RGB")
      }
      guard channels <= depth else { throw .breaks("its pixels of the type \(type) have a DEPTH of \(depth)") }
      guard channels == depth else {
        throw .unsupported(
          "pixels of the type \(type) with a DEPTH of \(depth) are not read; it must be \(channels)")
      }
    }
    guard (1...4).contains(depth) else {
      throw .unsupported("pixels of \(depth) samples are not read; they must be 1 to 4")
    }
    return try checked(
      PNMHeader(size: PixelSize(width: width, height: height), raster: .bytes, most: most, channels: depth))
  }

  private static let channels = [
    "BLACKANDWHITE": 1, "GRAYSCALE": 1, "RGB": 3, "BLACKANDWHITE_ALPHA": 2, "GRAYSCALE_ALPHA": 2, "RGB_ALPHA": 4,
  ]

  /// The next word of a line and the byte after the word; "" at the end of a line.
  private mutating func readWord() throws(Fault) -> String {
    var word = ""
    while true {
      let byte = try peek()
      if byte == UInt8(ascii: "#") && word.isEmpty {
        _ = try next()
        try skipComment()
        return ""
      }
      if byte.isPNMBlank {
        // `readLineEnd` reads the end of the line, unless the line is empty or was the last one.
        if byte != UInt8(ascii: "\n") || word.isEmpty || word == "ENDHDR" { _ = try next() }
        if word.isEmpty && byte != UInt8(ascii: "\n") { continue }
        return word
      }
      guard byte > 32, byte < 127, word.utf8.count < Self.longestWord else {
        throw .breaks("its header has a line that no PAM has")
      }
      word.unicodeScalars.append(Unicode.Scalar(try next()))
    }
  }

  /// The words up to the end of the line.
  ///
  /// `readLineEnd` reads the end itself.
  private mutating func readRestOfLine() throws(Fault) -> String {
    var rest = ""
    while try peek() != UInt8(ascii: "\n") {
      let byte = try next()
      guard byte.isPNMBlank || (33..<127).contains(byte), rest.utf8.count < Self.longestType else {
        throw .breaks("its header has a line that no PAM has")
      }
      rest.unicodeScalars.append(byte.isPNMBlank ? " " : Unicode.Scalar(byte))
    }
    return rest.split(separator: " ").joined(separator: " ")
  }

  private mutating func readLineEnd() throws(Fault) {
    while true {
      let byte = try next()
      if byte == UInt8(ascii: "\n") { return }
      guard byte.isPNMBlank else { throw .breaks("its header has a line that no PAM has") }
    }
  }

  // MARK: Bytes

  private mutating func readNumber(_ name: String) throws(Fault) -> Int {
    while true {
      let byte = try peek()
      if byte == UInt8(ascii: "#") {
        _ = try next()
        try skipComment()
      } else if byte.isPNMBlank {
        _ = try next()
      } else {
        break
      }
    }
    var value = 0
    var digits = 0
    while let digit = try peek().digit {
      _ = try next()
      digits += 1
      value = value * 10 + digit
      guard value <= Int32.max, digits < 100 else { throw .breaks("its \(name) has too many digits") }
    }
    guard digits > 0 else { throw .breaks("its \(name) is not a number") }
    return value
  }

  private mutating func skipComment() throws(Fault) {
    commentBytes += 1
    while true {
      let byte = try next()
      commentBytes += 1
      if byte == UInt8(ascii: "\n") { return }
      // Lines may end as on old Macs. Two bytes make one line end.
      if byte == UInt8(ascii: "\r"), try peek() != UInt8(ascii: "\n") { return }
      guard commentBytes <= mostCommentBytes else {
        throw .failed(
          ImageError(
            .limitExceeded,
            "PNM: the header has more than \(mostCommentBytes) bytes of comments, which is the limit. Raise "
              + "Limits.metadataBytes to allow it."))
      }
    }
  }

  private mutating func next() throws(Fault) -> UInt8 {
    let byte: UInt8?
    do throws(ImageError) { byte = try reader.next() } catch { throw .failed(error) }
    guard let byte else { throw .ends }
    return byte
  }

  private mutating func peek() throws(Fault) -> UInt8 {
    let byte: UInt8?
    do throws(ImageError) { byte = try reader.peek() } catch { throw .failed(error) }
    guard let byte else { throw .ends }
    return byte
  }
}

extension UInt8 {
  /// True for blanks and line ends.
  var isPNMBlank: Bool { self == 32 || (9...13).contains(self) }

  /// The value of a decimal digit, nil for any other byte.
  var digit: Int? { (48...57).contains(self) ? Int(self) - 48 : nil }
}
