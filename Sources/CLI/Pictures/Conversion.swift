import Easel

/// Converts the bytes of one picture to those of another.
struct Conversion: Sendable {
  /// A converted picture.
  struct Product {
    let bytes: ImageBytes
    let format: ImageFormat
    let size: PixelSize
    let frames: Int
  }

  var decodeOptions = DecodeOptions()
  var limits = Limits()
  var transformer = TransformerPipeline.identity
  var encodeOptions = EncodeOptions()
  /// The format to write; nil for the input's own format, or PNG if that cannot be written.
  var format: ImageFormat?
  var coder = CoderRegistry.standard

  func run(on bytes: ImageBytes) throws -> Product {
    // One time limit covers all steps, because an endless transformation is as bad as an endless decode.
    let work = WorkContext(limits: limits)
    let image = try transformed(bytes, work)
    let format = format ?? image.format.flatMap { coder.canEncode($0) ? $0 : nil } ?? .png
    let encoded = try coder.encode(image, as: format, options: encodeOptions, work: work)
    // A limit on bytes may have made the picture smaller.
    let header = try coder.probe(encoded, work: work)
    return Product(bytes: encoded, format: format, size: header.uprightSize, frames: header.frameCount)
  }

  private func transformed(_ bytes: ImageBytes, _ work: WorkContext) throws -> Image {
    guard !transformer.isIdentity else {
      return try still(coder.decode(bytes, options: decodeOptions, work: work))
    }
    var options = decodeOptions
    var transformer: any Transformer = BoundTransformer(pipeline: transformer)
    let header = try coder.probe(bytes, work: work)
    // Frames are decoded at full size, so the still picture must be too.
    if header.frameCount <= 1 {
      let plan = self.transformer.plan(for: options.targetSize(for: header))
      options.leastSize = plan.leastSize
      transformer = plan.transformer
    }
    let image = try still(coder.decode(bytes, options: options, work: work))
    return try transformer.transformAllFrames(of: image, work: work)
  }

  private func still(_ image: Image) -> Image {
    guard encodeOptions.firstFrameOnly, image.isAnimated else { return image }
    var image = image
    image.frames = nil
    return image
  }
}

/// A pipeline as a single transformer.
private struct BoundTransformer: Transformer {
  let pipeline: TransformerPipeline

  var cacheKey: String { pipeline.cacheKey }

  func transform(_ image: Image, work: WorkContext) throws -> Image { try pipeline.transform(image, work: work) }
}
