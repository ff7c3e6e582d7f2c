/// The first transformer of a load and the decode that suffices for it, chosen from the picture's header.
///
/// A resize to a quarter needs no full picture: a coder that can decode at a smaller scale is told so.
final class DecodePlan: Transformer {
  private let first: any PlannableTransformer
  private let request: ResolvedRequest
  private let chosen = Locked<TransformerPlan?>(nil)

  /// Nil where the transformer needs every pixel, or where the size of the decode was asked for by name.
  init?(_ first: any Transformer, _ request: ResolvedRequest) {
    guard let first = first as? any PlannableTransformer, !request.decodeOptions.makesSmaller else { return nil }
    self.first = first
    self.request = request
  }

  var cacheKey: String { first.cacheKey }

  /// Whether a picture of this size is to be decoded in full.
  func needsEveryPixel(of size: PixelSize) -> Bool { first.plan(for: size)?.leastSize == nil }

  /// The options to decode with; it throws while the header is not there.
  func options(for bytes: ImageBytes, work: WorkContext) throws -> DecodeOptions {
    var options = request.decodeOptions
    let header = try request.coder.probe(bytes, work: work)
    // Frames are made at their full size, and so must be what stands for them.
    let plan = header.frameCount > 1 ? nil : first.plan(for: options.targetSize(for: header))
    chosen.withLock { $0 = plan }
    options.leastSize = plan?.leastSize
    return options
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let planned = chosen.withLock { $0?.transformer }
    return try (planned ?? first).transform(image, work: work)
  }
}

extension DecodePlan: Hashable {
  static func == (left: DecodePlan, right: DecodePlan) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
