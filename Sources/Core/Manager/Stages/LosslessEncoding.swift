/// Writes pixels so that reading them gives the same again.
enum LosslessEncoding {
  /// PNG, or lossless WebP where that is smaller; where neither is known, whatever the coder itself writes.
  static func bytes(
    of image: Image, by coder: any ImageCoder, else registry: CoderRegistry, work: WorkContext
  ) throws -> ImageBytes {
    var options = EncodeOptions()
    options.lossless = true
    options.quality = 1
    options.keepsMetadata = true
    var smallest: ImageBytes?
    for format in [ImageFormat.png, .webp] {
      guard let encoder = [coder, registry].first(where: { $0.canEncode(format) }) else { continue }
      let bytes = try encoder.encode(image, as: format, options: options, work: work)
      if bytes.count < smallest?.count ?? .max { smallest = bytes }
    }
    if let smallest { return smallest }
    let own = ([image.format].compactMap { $0 } + coder.formats).first { coder.canEncode($0) }
    guard let own else {
      throw ImageError(.encodeFailed, "No coder is registered that writes pictures without loss, PNG or WebP.")
    }
    return try coder.encode(image, as: own, options: options, work: work)
  }
}
