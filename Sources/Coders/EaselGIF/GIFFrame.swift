import EaselCoding
import EaselCore

/// What a file says of a frame, and where its pixels begin.
struct GIFFrame: Hashable {
  /// What a graphic control extension says of the frame that follows it.
  struct Control: Hashable {
    var delay = Duration.zero
    var disposal = 0
    var transparent: Int?

    init() {}

    /// Nil when the block is too short.
    init?(_ content: [UInt8]) {
      guard content.count >= 4 else { return nil }
      delay = .milliseconds(content.littleEndian16(at: 1) * 10)
      disposal = Int(content[0] >> 2 & 7)
      transparent = content[0] & 1 != 0 ? Int(content[3]) : nil
    }
  }

  static let byteCount = 10

  /// The place on the canvas, of which parts may lie outside.
  let rect: PixelRect
  let isInterlaced: Bool
  let control: Control
  /// Red, green and blue of each colour; those of the whole file where the frame has none.
  let table: [UInt8]
  /// The byte that states the first size of codes.
  let dataStart: Int
  /// The end of the data, nil as long as it was not seen.
  var dataEnd: Int?

  /// Red, green, blue and alpha of each index.
  ///
  /// Without a table indices are grey, and beyond its end they are black.
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

  /// The colour of an index when the frame has no transparent one, else none.
  func opaqueColor(_ index: Int) -> PixelColor {
    guard control.transparent == nil else { return .clear }
    return color(table.isEmpty || index * 3 + 3 <= table.count ? index : 0)
  }

  func stored(on canvas: PixelSize, background: Int) -> StoredFrame {
    let disposal: StoredFrame.Disposal =
      switch control.disposal {
      case 0, 1: .keep
      case 2: .clear(opaqueColor(background))
      // Early programs wrote 4 where they meant 3.
      default: .restore
      }
    let isSeenThrough = control.transparent != nil
    return StoredFrame(
      rect: rect.intersection(PixelRect(covering: canvas)), delay: control.delay, disposal: disposal,
      isBlended: isSeenThrough, hasAlpha: isSeenThrough)
  }
}
