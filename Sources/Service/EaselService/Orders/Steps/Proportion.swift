import EaselCore
import EaselTransformers

/// Reduces a picture to a share of its sides, of which parts of pixels are cut off.
struct Proportion: PlannableTransformer, SizingTransformer, GainMapTransformer, FidelityTransformer {
  /// The share, above 0 and below 1.
  let share: Double
  private var fidelity = Fidelity.faithful

  init(share: Double) { self.share = share }

  /// `Proportion(share)`; the raw value of the fidelity follows unless that is fast.
  var cacheKey: String { "Proportion(\(share)\(fidelity == .fast ? "" : ",\(fidelity.rawValue)"))" }

  func with(_ fidelity: Fidelity) -> Proportion {
    var result = self
    result.fidelity = fidelity
    return result
  }

  /// The size of the result; a picture that would have no pixels stays as it is.
  func resultSize(of picture: PixelSize) -> PixelSize {
    let size = PixelSize(width: Int(Double(picture.width) * share), height: Int(Double(picture.height) * share))
    return size.isEmpty ? picture : size
  }

  private func resize(of picture: PixelSize) -> TransformerPipeline {
    let size = resultSize(of: picture)
    return size == picture ? .identity : .resize(width: size.width, height: size.height, fidelity: fidelity)
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try resize(of: image.size).transform(image, work: work)
  }

  func plan(for picture: PixelSize) -> TransformerPipeline.Plan? { resize(of: picture).plan(for: picture) }

  func plan(forDrawing picture: PixelSize) -> TransformerPipeline.Plan? {
    resize(of: picture).plan(forDrawing: picture)
  }
}
