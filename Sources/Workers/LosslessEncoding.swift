import EaselCore

/// Encodes pixels without loss.
package enum LosslessEncoding {
  /// The formats and their compression levels.
  ///
  /// A cache writes far more pictures than anyone views. WebP at its lowest effort is smaller than PNG at its highest
  /// effort, and takes a tenth of the time.
  private static let formats: [(format: ImageFormat, level: Int)] = [(.png, 2), (.webp, 0)]

  /// Encodes as PNG or lossless WebP, whichever is smaller.
  ///
  /// If neither is available, the coder's own format is used.
  package static func bytes(
    of image: Image, by coder: any ImageCoder, else registry: CoderRegistry, work: WorkContext
  ) throws -> (bytes: ImageBytes, format: ImageFormat) {
    var options = EncodeOptions()
    options.lossless = true
    options.quality = 1
    options.keepsMetadata = true
    let checks = EncoderChecks(registry, and: coder)
    let own = coder.capability((any EncodingCoder).self)
    var smallest: (bytes: ImageBytes, format: ImageFormat)?
    var failure: ImageError?
    for (format, level) in formats where holdsEveryBit(of: image, format) {
      options.compressionLevel = level
      let encoder: any EncodingCoder = if let own, own.canEncode(format) { own } else { registry }
      guard encoder.canEncode(format) else { continue }
      do {
        let bytes = try checks.bytes(of: image, as: format, by: encoder, options, work: work)
        if bytes.count < smallest?.bytes.count ?? .max { smallest = (bytes, format) }
      } catch let error as ImageError where error.code == .encodeFailed {
        // WebP cannot hold long sides; the other format is enough then.
        failure = failure ?? error
      }
    }
    if let smallest { return smallest }
    if let failure { throw failure }
    guard let own, let format = ([image.format].compactMap { $0 } + own.formats).first(where: own.canEncode) else {
      throw ImageError(.encodeFailed, "No registered coder writes PNG or lossless WebP, which the disk cache needs.")
    }
    return (try checks.bytes(of: image, as: format, by: own, options, work: work), format)
  }

  /// False if the format would lose bits: WebP has neither more than 8 bits nor code points.
  private static func holdsEveryBit(of image: Image, _ format: ImageFormat) -> Bool {
    format != .webp || image.bitmap.format.layout.bitsPerComponent == 8 && image.metadata.color == nil
  }
}
