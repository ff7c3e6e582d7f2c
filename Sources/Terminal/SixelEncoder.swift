import EaselCore

/// Draws in bands of six rows: for each colour in a band, a row of characters whose bits mark its pixels.
///
/// Pixels that are less than half opaque are not drawn.
enum SixelEncoder {
  static func encode(_ bitmap: Bitmap) -> [UInt8] {
    let palette = ColorPalette(of: bitmap)
    var result = Array("\u{1B}P0;1;0q\"1;1;\(bitmap.width);\(bitmap.height)".utf8)
    for (index, color) in palette.colors.enumerated() {
      let percent = [color.red, color.green, color.blue].map { String((Int($0) * 100 + 127) / 255) }
      result += Array("#\(index);2;\(percent.joined(separator: ";"))".utf8)
    }
    for first in stride(from: 0, to: bitmap.height, by: 6) {
      if first > 0 { result.append(UInt8(ascii: "-")) }
      band(first, bitmap, palette, &result)
    }
    return result + Array("\u{1B}\\".utf8)
  }

  private static func band(_ first: Int, _ bitmap: Bitmap, _ palette: ColorPalette, _ result: inout [UInt8]) {
    // For each colour in the band, the bits of its pixels, by column.
    var masks: [Int: [UInt8]] = [:]
    let width = bitmap.width
    bitmap.withPixels { pixel in
      for bit in 0..<min(6, bitmap.height - first) {
        for column in 0..<width {
          let (red, green, blue, alpha) = pixel(column, first + bit)
          guard alpha >= 128 else { continue }
          let index = palette.index(of: red, green, blue)
          masks[index, default: [UInt8](repeating: 0, count: width)][column] |= 1 << UInt8(bit)
        }
      }
    }
    for (number, index) in masks.keys.sorted().enumerated() {
      if number > 0 { result.append(UInt8(ascii: "$")) }
      result += Array("#\(index)".utf8)
      row(masks[index]!, &result)
    }
  }

  /// Writes a row: more than three equal characters become a count, and empty columns at the end are omitted.
  private static func row(_ masks: [UInt8], _ result: inout [UInt8]) {
    var column = 0
    let end = (masks.lastIndex { $0 != 0 } ?? -1) + 1
    while column < end {
      let mask = masks[column]
      var count = 1
      while column + count < end, masks[column + count] == mask { count += 1 }
      let character = mask + 63
      result += count > 3 ? Array("!\(count)".utf8) + [character] : [UInt8](repeating: character, count: count)
      column += count
    }
  }
}
