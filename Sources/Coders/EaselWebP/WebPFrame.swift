import EaselCoding
import EaselCore

/// The place of the pixels of a still picture or of one frame.
struct WebPFrame: Hashable, Sendable {
  /// The frame's area on the canvas, its delay, and how it combines with the previous canvas.
  let placing: StoredFrame
  /// The offset of the first byte of the chunks that libwebp needs.
  let start: Int
  /// The offset after the last byte of these chunks.
  let end: Int
  let isLossless: Bool
  /// True if nothing is visible below the frame, so that it needs no blending.
  var startsAfresh = false

  var size: PixelSize { placing.rect.size }
}

extension WebPFrame {
  /// The fields of ANMF before the frame's own chunks.
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
      // The frame size in ANMF is ignored: the pixels state their size too, and players trust the pixels.
      delay = .milliseconds(bytes.littleEndian(at: 12, bytes: 3))
      disposal = bytes[15] & 1 != 0 ? .clear(.clear) : .keep
      isBlended = bytes[15] & 2 == 0
    }

    /// The values for a still picture.
    static let still = Head([UInt8](repeating: 0, count: byteCount))
  }
}
