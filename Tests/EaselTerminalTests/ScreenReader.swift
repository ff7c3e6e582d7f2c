/// Converts half blocks back into pixels, as a terminal would show them.
struct ScreenReader {
  typealias Color = [UInt8]?

  /// Rows of pixels, two for each line; nil for the background.
  private(set) var pixels: [[Color]] = []

  init(_ bytes: [UInt8]) {
    var foreground: Color = nil
    var background: Color = nil
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true) {
      var upper: [Color] = []
      var lower: [Color] = []
      var rest = line[...]
      while let character = rest.popFirst() {
        switch character {
        case "\u{1B}":
          let end = rest.firstIndex(of: "m")!
          let codes = rest[..<end].dropFirst().split(separator: ";").map { UInt8($0)! }
          rest = rest[rest.index(after: end)...]
          if codes.starts(with: [38, 2]) { foreground = Array(codes[2...]) }
          if codes.starts(with: [48, 2]) { background = Array(codes[2...]) }
          if codes == [49] { background = nil }
          if codes == [0] { (foreground, background) = (nil, nil) }
        case "▀":
          upper.append(foreground)
          lower.append(background)
        case "▄":
          upper.append(background)
          lower.append(foreground)
        case " ":
          upper.append(background)
          lower.append(background)
        default: fatalError("unexpected \(character)")
        }
      }
      pixels += [upper, lower]
    }
  }
}
