import EaselCore

/// What fcTL says of a frame, and where its pixels begin.
struct PNGFrame: Hashable {
  enum Disposal: UInt8 {
    case keep = 0
    case clear = 1
    case restore = 2
  }

  let rect: PixelRect
  let storedDelay: Duration
  let disposal: Disposal
  let isBlended: Bool
  /// The first chunk of its data, nil as long as none came.
  var data: PNGChunk?

  static let byteCount = 26

  /// Nil when the frame does not lie on the canvas, or asks for what does not exist.
  init?(_ bytes: [UInt8], canvas: PixelSize) {
    let values = [4, 8, 12, 16].map { Int(bytes.bigEndian32(at: $0)) }
    rect = PixelRect(x: values[2], y: values[3], width: values[0], height: values[1])
    guard !rect.isEmpty, rect.intersection(PixelRect(covering: canvas)) == rect,
      let disposal = Disposal(rawValue: bytes[24]), bytes[25] <= 1
    else { return nil }
    let numerator = bytes.bigEndian16(at: 20)
    let denominator = bytes.bigEndian16(at: 22)
    storedDelay = .seconds(numerator) / (denominator == 0 ? 100 : denominator)
    self.disposal = disposal
    isBlended = bytes[25] == 1
  }
}
