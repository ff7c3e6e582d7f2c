import EaselCoding
import EaselCore

/// The description of a frame in fcTL, and the place of its pixels.
struct PNGFrame: Hashable {
  /// The frame's description.
  ///
  /// `hasAlpha` is unknown until the pixels begin.
  var stored: StoredFrame
  /// The first chunk of the frame's data, nil until it arrives.
  var data: PNGChunk?

  static let byteCount = 26

  /// Returns nil if the frame exceeds the canvas or has invalid values.
  init?(_ bytes: [UInt8], canvas: PixelSize) {
    let values = [4, 8, 12, 16].map { Int(bytes.bigEndian32(at: $0)) }
    let rect = PixelRect(x: values[2], y: values[3], width: values[0], height: values[1])
    let disposals: [StoredFrame.Disposal] = [.keep, .clear(.clear), .restore]
    guard !rect.isEmpty, rect.intersection(PixelRect(covering: canvas)) == rect,
      disposals.indices.contains(Int(bytes[24])), bytes[25] <= 1
    else { return nil }
    let numerator = bytes.bigEndian16(at: 20)
    let denominator = bytes.bigEndian16(at: 22)
    stored = StoredFrame(
      rect: rect, delay: .seconds(numerator) / (denominator == 0 ? 100 : denominator),
      disposal: disposals[Int(bytes[24])], isBlended: bytes[25] == 1, hasAlpha: true)
  }
}
