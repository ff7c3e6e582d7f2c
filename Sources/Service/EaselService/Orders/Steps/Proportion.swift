import EaselCore
import EaselTransformers

/// Reduces a picture to a share of its sides, of which parts of pixels are cut off.
struct Proportion: PlannableTransformer, SizingTransformer, GainMapTransformer {
  /// The share, above 0 and below 1.
  let share: Double

  /// `Proportion(share)`.
  var cacheKey: String { "Proportion(\(share))" }

  /// The size of the result; a picture that would have no pixels stays as it is.
  func resultSize(of picture: PixelSize) -> PixelSize {
    let size = PixelSize(width: Int(Double(picture.width) * share), height: Int(Double(picture.height) * share))
    return size.isEmpty ? picture : size
  }

  private func resize(of picture: PixelSize) -> TransformerPipeline {
    let size = resultSize(of: picture)
    return size == picture ? .identity : .resize(width: size.width, height: size.height)
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try resize(of: image.size).transform(image, work: work)
  }

  func plan(for picture: PixelSize) -> TransformerPipeline.Plan? { resize(of: picture).plan(for: picture) }

  func plan(forDrawing picture: PixelSize) -> TransformerPipeline.Plan? {
    resize(of: picture).plan(forDrawing: picture)
  }
}
