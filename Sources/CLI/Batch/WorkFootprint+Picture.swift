import Easel
import EaselFormats
import EaselSVG
import EaselService

extension WorkFootprint {
  /// Estimates the memory for decoding a picture and encoding it again, from its header.
  ///
  /// `box` is the box that the decoded picture fits in, nil for its own size.
  init(
    of bytes: ImageBytes, by coder: CoderRegistry, limits: Limits, decodedTo box: PixelSize?, as format: ImageFormat?
  ) throws {
    let source = try coder.format(of: bytes)
    // The coder of a drawing may have to draw it to find its size.
    guard let source, source != .svg, let header = try? coder.probe(bytes, work: WorkContext(limits: limits)) else {
      self.init(bytes: 100_000_000)
      return
    }
    self.init(decoding: header, to: box, as: format ?? source)
  }

  /// Estimates the memory for decoding a picture with this header to fit in `box`, and encoding it again.
  init(decoding header: ImageHeader, to box: PixelSize? = nil, as format: ImageFormat) {
    let pixels = header.storedSize.area
    // Decoders reduce a picture in steps of two.
    let decoded = box.map { min(pixels, header.storedSize.thumbnail(in: $0).area * 4) } ?? pixels
    self.init(
      source: header.format, sourcePixels: pixels, decodedPixels: decoded, resultPixels: decoded,
      isWide: header.bitDepth > 8, isMoving: header.frameCount > 1, format: format,
      decoderBytes: header.decoderBytes, formats: .program)
  }
}
