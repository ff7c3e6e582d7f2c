import EaselCore

/// The time and the memory that a format needs for each pixel.
package struct FormatCost: Sendable {
  /// The time for decoding one pixel, in nanoseconds.
  package var decoding = 50.0
  /// The time for encoding one pixel, in nanoseconds.
  package var encoding: @Sendable (EncodeOptions) -> Double = { _ in 50 }
  /// The bytes that the decoder keeps for each pixel of the source: the least in total, and the share besides the
  /// decoded pixels.
  package var decoderBytes = (whole: 12.0, besides: 8.0)
  /// The bytes that the decoder keeps at any size.
  package var fixedBytes = 0.0
  /// The bytes that the encoder keeps for each pixel of the result.
  package var encoderBytes = 10.0

  /// The bytes that the elements of a drawing take.
  package static let drawing = 24e6

  /// The number at an index of a table; an index outside the table gives the nearest number.
  package static func entry(_ table: [Double], _ index: Int) -> Double { table[min(max(index, 0), table.count - 1)] }

  /// The assumed cost of an unknown format.
  package init() {}

  package init(
    decoding: Double, encoding: @escaping @Sendable (EncodeOptions) -> Double = { _ in 10 },
    decoderBytes: (whole: Double, besides: Double) = (12, 8), fixedBytes: Double = 0, encoderBytes: Double = 10
  ) {
    (self.decoding, self.encoding, self.decoderBytes) = (decoding, encoding, decoderBytes)
    (self.fixedBytes, self.encoderBytes) = (fixedBytes, encoderBytes)
  }
}
