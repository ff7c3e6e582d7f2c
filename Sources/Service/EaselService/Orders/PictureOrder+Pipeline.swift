import EaselCore
import EaselTransformers

extension PictureOrder {
  /// The order with the width and the pixel ratio of a browser, where the URL states none.
  package func applying(width: Int?, pixelRatio: Double?) -> PictureOrder {
    guard width != nil || pixelRatio != nil, case .recipe(var recipe, let watermark) = pixels else { return self }
    if let width, recipe.width == 0, recipe.height == 0 { recipe.width = width }
    if let pixelRatio, recipe.pixelRatio == 1 { recipe.pixelRatio = pixelRatio }
    var order = self
    order.pixels = .recipe(recipe, watermark: watermark)
    return order
  }

  /// The transformers of the order; `transformer` makes that of a watermark.
  package func pipeline(
    watermark transformer: (WatermarkOrder) throws(ServiceError) -> TransformerPipeline
  ) throws(ServiceError) -> TransformerPipeline {
    do throws(ImageError) {
      switch pixels {
      case .recipe(var recipe, let watermark):
        if let watermark {
          recipe.watermark = try Self.asImageError { () throws(ServiceError) in try transformer(watermark) }
        }
        return try recipe.pipeline()
      case .steps: return .identity
      }
    } catch {
      throw ServiceError(400, error.message)
    }
  }

  private static func asImageError(
    _ body: () throws(ServiceError) -> TransformerPipeline
  ) throws(ImageError) -> TransformerPipeline {
    do throws(ServiceError) { return try body() } catch { throw ImageError(.transformFailed, error.message) }
  }

  /// The sources of all watermarks; `own` is the server's, nil if it has none.
  package func watermarkSources(own: String?) -> [String] { [] }
}

extension WatermarkOrder {
  func transformer(_ watermark: Watermark) -> TransformerPipeline { .identity }
}
