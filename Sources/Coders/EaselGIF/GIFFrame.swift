import EaselCoding
import EaselCore

/// The description of a frame in a file, and the offset of its pixels.
struct GIFFrame: Hashable {
  /// The content of a graphic control extension, which describes the next frame.
  struct Control: Hashable {
    var delay = Duration.zero
    var disposal = 0
    var transparent: Int?

    init() {}

    /// Returns nil when the block is too short.
    init?(_ content: [UInt8]) {
      guard content.count >= 4 else { return nil }
      delay = .milliseconds(content.littleEndian16(at: 1) * 10)
      disposal = Int(content[0] >> 2 & 7)
      transparent = content[0] & 1 != 0 ? Int(content[3]) : nil
    }
  }

  static let byteCount = 10

  /// The frame's place on the canvas; the frame may reach beyond the canvas.
  let rect: PixelRect
  let isInterlaced: Bool
  let control: Control
  /// Red, green and blue of each colour; the file's table if the frame has no table.
  let table: [UInt8]
  /// The offset of the byte that states the initial code size.
  let dataStart: Int
  /// The end of the data, nil until the scanner has found it.
  var dataEnd: Int?

  /// Red, green, blue and alpha of each index.
  ///
  /// Without a table the indices are shades of grey. Indices beyond the end of the table are black.
  var colors: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1024) { target, count in
      for index in 0..<256 {
        let color = color(index)
        (target[4 * index], target[4 * index + 1], target[4 * index + 2]) = (color.red, color.green, color.blue)
        target[4 * index + 3] = 255
      }
      count = 1024
    }
  }

  private func color(_ index: Int) -> PixelColor {
    guard !table.isEmpty else { return PixelColor(red: UInt8(index), green: UInt8(index), blue: UInt8(index)) }
    guard index * 3 + 3 <= table.count else { return .black }
    return PixelColor(red: table[index * 3], green: table[index * 3 + 1], blue: table[index * 3 + 2])
  }

  /// The colour of an index, or transparent if the frame has a transparent index.
  func opaqueColor(_ index: Int) -> PixelColor {
    guard control.transparent == nil else { return .clear }
    return color(table.isEmpty || index * 3 + 3 <= table.count ? index : 0)
  }

  func stored(on canvas: PixelSize, background: Int) -> StoredFrame {
    let disposal: StoredFrame.Disposal =
      switch control.disposal {
      case 0, 1: .keep
      case 2: .clear(opaqueColor(background))
      // Early programs wrote 4 instead of 3.
      default: .restore
      }
    let hasTransparency = control.transparent != nil
    return StoredFrame(
      rect: rect.intersection(PixelRect(covering: canvas)), delay: control.delay, disposal: disposal,
      isBlended: hasTransparency, hasAlpha: hasTransparency)
  }
}
