import EaselCore
import EaselSupport

/// Plans a decode that is just large enough for the first transformer, and then runs that transformer.
///
/// A resize to a quarter does not need the full picture, so a coder that can decode at a smaller scale does so.
final class DecodePlan: Transformer {
  /// The properties on which a plan depends.
  private struct Basis: Equatable {
    let size: PixelSize
    let moves: Bool
    let isDrawing: Bool
  }

  private let first: any PlannableTransformer
  private let request: ResolvedRequest
  private let chosen = Locked<(basis: Basis?, plan: TransformerPipeline.Plan?)>((nil, nil))

  /// Returns nil when the transformer makes no plans, or when the caller set the size of the decode.
  init?(_ first: any Transformer, _ request: ResolvedRequest) {
    guard let first = first as? any PlannableTransformer, !request.decodeOptions.makesSmaller else { return nil }
    self.first = first
    self.request = request
  }

  var cacheKey: String { first.cacheKey }

  /// True when the transformer needs all pixels of a picture; a bitmap in memory can then replace the decode.
  func needsEveryPixel(of image: Image) -> Bool {
    let isDrawing = image.format.map(request.coder.makesDrawings) ?? false
    return PluginChecks.plan(of: first, for: image.size, isDrawing: isDrawing) == nil
  }

  /// The options for decoding a picture with this header; this also chooses the plan.
  ///
  /// Without a header, the picture is decoded in full.
  func options(for header: ImageHeader?) -> DecodeOptions {
    var options = request.decodeOptions
    let basis = header.map(basis)
    // Frames are made at full size, so the picture that stands for them must have that size too.
    let plan = basis.flatMap {
      $0.moves ? nil : PluginChecks.plan(of: first, for: $0.size, isDrawing: $0.isDrawing)
    }
    chosen.withLock { $0 = (basis, plan) }
    options.leastSize = plan?.leastSize
    return options
  }

  /// True when the plan, chosen from the first part of a body, also fits the whole body.
  ///
  /// Data that rotates the picture or adds frames may come last.
  func isRight(for header: ImageHeader) -> Bool { chosen.withLock { $0.basis } == basis(header) }

  private func basis(_ header: ImageHeader) -> Basis {
    Basis(
      size: request.decodeOptions.targetSize(for: header),
      moves: header.frameCount > 1 && !request.decodeOptions.firstFrameOnly,
      isDrawing: request.coder.makesDrawings(of: header.format))
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let planned = chosen.withLock { $0.plan?.transformer }
    return try (planned ?? first).transform(image, work: work)
  }
}

extension DecodePlan: GainMapTransformer {
  var followsWithGainMap: Bool {
    let planned = chosen.withLock { $0.plan?.transformer }
    return ((planned ?? first) as? any GainMapTransformer)?.followsWithGainMap ?? false
  }
}

extension DecodePlan: Hashable {
  static func == (left: DecodePlan, right: DecodePlan) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
