import EaselCore

/// A GIF made by hand, with one code for each pixel.
struct HandmadeGIF {
  struct Frame {
    var rect: PixelRect
    var indices: [UInt8]
    /// The initial code size; it may differ from the size that the table needs.
    var codeSize = 2
    var isInterlaced = false
    var table: [UInt8] = []
    /// The disposal, delay and transparent index of a control extension.
    var control: (disposal: Int, delay: Int, transparent: Int?)?
    /// True when the data has its end code and the final sub-block.
    var isEnded = true
    /// Codes that were compressed elsewhere.
    var data: [UInt8]?
  }

  static let colors: [[UInt8]] = [[10, 20, 30], [200, 0, 0], [0, 150, 0], [0, 0, 250]]

  var screen: PixelSize
  var table = HandmadeGIF.colors.flatMap { $0 }
  var background = 0
  var repeats: Int?
  var blocks: [[UInt8]] = []
  var frames: [Frame] = []
  var version = "GIF89a"
  var hasTrailer = true

  var bytes: [UInt8] {
    var bytes = Array(version.utf8) + little(screen.width) + little(screen.height)
    bytes += [table.isEmpty ? 0 : 0x80 | flags(of: table), UInt8(background), 0] + table
    if let repeats { bytes += Self.application("NETSCAPE2.0", [1] + little(repeats)) }
    for block in blocks { bytes += block }
    for frame in frames { bytes += self.bytes(of: frame) }
    return hasTrailer ? bytes + [0x3B] : bytes
  }

  static func application(_ name: String, _ content: [UInt8]) -> [UInt8] {
    [0x21, 0xFF, 11] + Array(name.utf8) + subBlocks(content) + [0]
  }

  static func subBlocks(_ content: [UInt8], of length: Int = 255) -> [UInt8] {
    stride(from: 0, to: content.count, by: length).flatMap { start in
      let part = content[start..<min(content.count, start + length)]
      return [UInt8(part.count)] + part
    }
  }

  private func bytes(of frame: Frame) -> [UInt8] {
    var bytes: [UInt8] = []
    if let control = frame.control {
      let flags = UInt8(control.disposal << 2 | (control.transparent == nil ? 0 : 1))
      bytes += [0x21, 0xF9, 4, flags] + little(control.delay) + [UInt8(control.transparent ?? 0), 0]
    }
    let rect = frame.rect
    bytes += [0x2C] + little(rect.x) + little(rect.y) + little(rect.width) + little(rect.height)
    let interlace: UInt8 = frame.isInterlaced ? 0x40 : 0
    bytes += [frame.table.isEmpty ? interlace : 0x80 | interlace | flags(of: frame.table)] + frame.table
    let data = frame.data ?? codes(of: frame)
    return bytes + [UInt8(frame.codeSize)] + Self.subBlocks(data, of: frame.data == nil ? 7 : 255)
      + (frame.isEnded ? [0] : [])
  }

  /// One code for each pixel, with a clear code before codes would get longer.
  private func codes(of frame: Frame) -> [UInt8] {
    let clear = 1 << frame.codeSize
    var codes: [Int] = []
    for (index, pixel) in frame.indices.enumerated() {
      if index % (clear - 2) == 0 { codes.append(clear) }
      codes.append(Int(pixel))
    }
    if frame.isEnded { codes.append(clear + 1) }
    var bits = 0
    var count = 0
    var bytes: [UInt8] = []
    for code in codes {
      bits |= code << count
      count += frame.codeSize + 1
      while count >= 8 {
        bytes.append(UInt8(bits & 255))
        bits >>= 8
        count -= 8
      }
    }
    return count > 0 ? bytes + [UInt8(bits)] : bytes
  }

  private func flags(of table: [UInt8]) -> UInt8 {
    UInt8((table.count / 3).trailingZeroBitCount - 1)
  }

  private func little(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
}
