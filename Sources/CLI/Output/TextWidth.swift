/// Measures the width of text in a terminal.
enum TextWidth {
  /// The number of cells of a text.
  static func cells(of text: some StringProtocol) -> Int { text.reduce(0) { $0 + cells(of: $1) } }

  /// The number of cells of a character: two for East Asian scripts and emoji.
  static func cells(of character: Character) -> Int {
    // The first scalar decides the width; the others are marks that are drawn over it.
    guard let scalar = character.unicodeScalars.first else { return 0 }
    if scalar.isASCII { return 1 }
    if scalar.properties.isEmojiPresentation || character.unicodeScalars.dropFirst().contains("\u{FE0F}") { return 2 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  // The blocks of Unicode whose characters are wide or fullwidth.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD,
  ]

  /// The text, cut at its end so that it takes at most `room` cells.
  static func cut(_ text: String, to room: Int) -> String { String(text[..<end(of: text, room)]) }

  /// The text, shortened in its middle so that its beginning and its end remain.
  static func shortened(_ text: String, to room: Int) -> String {
    guard cells(of: text) > room else { return text }
    guard room > 1 else { return room == 1 ? "…" : "" }
    // The end of a name is more informative than its beginning.
    let first = (room - 1) / 2
    let head = text[..<end(of: text, first)]
    let tail = String(text.reversed())
    return head + "…" + String(tail[..<end(of: tail, room - 1 - cells(of: head))].reversed())
  }

  /// The text, followed by blanks up to `room` cells.
  static func padded(_ text: String, to room: Int) -> String {
    text + String(repeating: " ", count: max(0, room - cells(of: text)))
  }

  private static func end(of text: String, _ room: Int) -> String.Index {
    var used = 0
    for index in text.indices {
      used += cells(of: text[index])
      if used > room { return index }
    }
    return text.endIndex
  }
}
