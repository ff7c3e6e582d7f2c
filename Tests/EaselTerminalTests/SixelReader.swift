/// Converts sixels back into pixels.
struct SixelReader {
  private(set) var width = 0
  private(set) var height = 0
  /// Rows of red, green and blue; nil for pixels that were not drawn.
  private(set) var pixels: [[[UInt8]?]] = []

  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("\u{1B}P0;1;0q"), let end = text.range(of: "\u{1B}\\") else { return nil }
    var rest = text[text.index(text.startIndex, offsetBy: 8)..<end][...]
    var palette: [Int: [UInt8]] = [:]
    var color = 0
    var (column, band) = (0, 0)
    while let character = rest.popFirst() {
      switch character {
      case "\"":
        let raster = Self.numbers(&rest)
        (width, height) = (raster[2], raster[3])
        pixels = Array(repeating: Array(repeating: nil, count: width), count: height)
      case "#":
        let numbers = Self.numbers(&rest)
        color = numbers[0]
        if numbers.count == 5 { palette[color] = numbers[2...].map { UInt8(($0 * 255 + 50) / 100) } }
      case "$": column = 0
      case "-": (column, band) = (0, band + 1)
      default:
        var count = 1
        var data = character
        if character == "!" {
          count = Self.numbers(&rest)[0]
          data = rest.popFirst()!
        }
        let mask = data.asciiValue! - 63
        for _ in 0..<count {
          for bit in 0..<6 where mask >> UInt8(bit) & 1 == 1 { pixels[band * 6 + bit][column] = palette[color]! }
          column += 1
        }
      }
    }
  }

  private static func numbers(_ rest: inout Substring) -> [Int] {
    let text = rest.prefix { $0.isNumber || $0 == ";" }
    rest = rest.dropFirst(text.count)
    return text.split(separator: ";").map { Int($0)! }
  }
}

extension String {
  fileprivate func range(of other: String) -> String.Index? {
    indices.last { self[$0...].hasPrefix(other) }
  }
}
