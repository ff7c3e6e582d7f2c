/// The first transformer of a load and the decode that suffices for it, chosen from the picture's header.
///
/// A resize to a quarter needs no full picture: a coder that can decode at a smaller scale is told so.
final class DecodePlan: Transformer {
  /// All that a plan follows from.
  private struct Basis: Equatable {
    let size: PixelSize
    let moves: Bool
  }

  private let first: any PlannableTransformer
  private let request: ResolvedRequest
  private let chosen = Locked<(basis: Basis?, plan: TransformerPlan?)>((nil, nil))

  /// Nil where the transformer needs every pixel, or where the size of the decode was asked for by name.
  init?(_ first: any Transformer, _ request: ResolvedRequest) {
    guard let first = first as? any PlannableTransformer, !request.decodeOptions.makesSmaller else { return nil }
    self.first = first
    self.request = request
  }

  var cacheKey: String { first.cacheKey }

  /// Whether a picture of this size is to be decoded in full.
  func needsEveryPixel(of size: PixelSize) -> Bool { PluginChecks.plan(of: first, for: size) == nil }

  /// The options to decode a picture with this header with; without one it is decoded in full.
  func options(for header: ImageHeader?) -> DecodeOptions {
    var options = request.decodeOptions
    let basis = header.map(basis)
    // Frames are made at their full size, and so must be what stands for them.
    let plan = basis.flatMap { $0.moves ? nil : PluginChecks.plan(of: first, for: $0.size) }
    chosen.withLock { $0 = (basis, plan) }
    options.leastSize = plan?.leastSize
    return options
  }

  /// Whether the plan that was chosen from the first part of a body is the one for the whole: what turns a picture on
  /// its side, or makes it move, may come last.
  func isRight(for header: ImageHeader) -> Bool { chosen.withLock { $0.basis } == basis(header) }

  private func basis(_ header: ImageHeader) -> Basis {
    Basis(
      size: request.decodeOptions.targetSize(for: header),
      moves: header.frameCount > 1 && !request.decodeOptions.firstFrameOnly)
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let planned = chosen.withLock { $0.plan?.transformer }
    return try (planned ?? first).transform(image, work: work)
  }
}

extension DecodePlan: Hashable {
  static func == (left: DecodePlan, right: DecodePlan) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
