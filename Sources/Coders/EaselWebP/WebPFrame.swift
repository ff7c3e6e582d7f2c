import EaselCoding
import EaselCore

/// The pixels of a still picture or of one frame, and where they are.
struct WebPFrame: Hashable, Sendable {
  /// Where it lies on the canvas, how long it is shown, and how it meets what was there before.
  let placing: StoredFrame
  /// The first byte of the chunks that libwebp needs.
  let start: Int
  /// The byte after them.
  let end: Int
  let isLossless: Bool
  /// Whether there is nothing below it, so that nothing is mixed.
  var startsAfresh = false

  var size: PixelSize { placing.rect.size }
}

extension WebPFrame {
  /// What ANMF says of a frame before its own chunks.
  struct Head {
    static let byteCount = 16

    let x: Int
    let y: Int
    let delay: Duration
    let disposal: StoredFrame.Disposal
    let isBlended: Bool

    init(_ bytes: [UInt8]) {
      x = bytes.littleEndian(at: 0, bytes: 3) * 2
      y = bytes.littleEndian(at: 3, bytes: 3) * 2
      // The size that follows is told by the pixels too, and players believe these.
      delay = .milliseconds(bytes.littleEndian(at: 12, bytes: 3))
      disposal = bytes[15] & 1 != 0 ? .clear(.clear) : .keep
      isBlended = bytes[15] & 2 == 0
    }

    /// That of a picture that does not move.
    static let still = Head([UInt8](repeating: 0, count: byteCount))
  }
}
