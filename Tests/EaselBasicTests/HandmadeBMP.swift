@testable import EaselBasic

/// A BMP file made by hand.
struct HandmadeBMP {
  var headerBytes = 40
  var width: Int
  var height: Int
  var bits: Int
  var compression = 0
  var colorCount = 0
  /// Red, green, blue and alpha masks.
  var masks: [Int] = []
  var colors: [(Int, Int, Int)] = []
  var pixels: [UInt8] = []
  /// The offset in the file header; nil for the true one.
  var statedOffset: Int?
  var gap: [UInt8] = []
  var profile: [UInt8] = []
  var pixelsPerMetre = 0

  var bytes: [UInt8] {
    var header: [UInt8] = []
    header.appendLittle32(headerBytes)
    if headerBytes == 12 {
      for value in [width, height, 1, bits] { header.appendLittle16(value) }
    } else {
      header.appendLittle32(width)
      header.appendLittle32(height)
      header.appendLittle16(1)
      header.appendLittle16(bits)
      for value in [compression, 0, pixelsPerMetre, pixelsPerMetre, colorCount, 0] { header.appendLittle32(value) }
    }
    var masks = masks
    while !masks.isEmpty && (headerBytes == 40 || header.count < headerBytes) {
      header.appendLittle32(masks.removeFirst())
    }
    let maskBytes = headerBytes == 40 ? header.count - 40 : 0
    header = Array(header.prefix(headerBytes + maskBytes))
    header += [UInt8](repeating: 0, count: max(0, headerBytes + maskBytes - header.count))
    for color in colors {
      header += [UInt8(color.2), UInt8(color.1), UInt8(color.0)]
      if headerBytes > 12 { header.append(0) }
    }
    let offset = 14 + header.count + gap.count
    if !profile.isEmpty {
      header.replaceSubrange(56..<60, with: Array("DEBM".utf8))
      var place: [UInt8] = []
      place.appendLittle32(offset - 14 + pixels.count)
      place.appendLittle32(profile.count)
      header.replaceSubrange(112..<120, with: place)
    }
    var file = Array("BM".utf8)
    for value in [offset + pixels.count, 0, statedOffset ?? offset] { file.appendLittle32(value) }
    return file + header + gap + pixels + profile
  }
}
