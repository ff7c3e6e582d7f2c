import EaselCore
import EaselTransformers

extension PictureOrder {
  /// The order with the width and the pixel ratio of a browser, where the URL states none.
  func applying(width: Int?, pixelRatio: Double?) -> PictureOrder {
    guard width != nil || pixelRatio != nil, case .recipe(var recipe, let watermark) = pixels else { return self }
    if let width, recipe.width == 0, recipe.height == 0 { recipe.width = width }
    if let pixelRatio, !statesPixelRatio { recipe.pixelRatio = pixelRatio }
    var order = self
    order.pixels = .recipe(recipe, watermark: watermark)
    return order
  }

  /// The transformers of the order; `transformer` makes that of a watermark.
  func pipeline(
    watermark transformer: (WatermarkOrder) throws(ServiceError) -> TransformerPipeline
  ) throws(ServiceError) -> TransformerPipeline {
    switch pixels {
    case .recipe(var recipe, let watermark):
      if let watermark { recipe.watermark = try transformer(watermark) }
      do throws(ImageError) {
        return try recipe.pipeline()
      } catch {
        throw ServiceError(400, error.message)
      }
    case .steps(let steps):
      var pipeline = TransformerPipeline.identity
      for step in steps {
        switch step {
        case .transform(let next): pipeline = pipeline.then(next)
        case .watermark(let watermark): pipeline = pipeline.then(try transformer(watermark))
        }
      }
      return pipeline
    }
  }

  /// The transformers of the order without its watermarks.
  package func pipelineWithoutWatermarks() throws(ServiceError) -> TransformerPipeline {
    try pipeline { _ throws(ServiceError) in .identity }
  }

  /// The sources of all watermarks; `own` is the server's, nil if it has none.
  func watermarkSources(own: String?) -> [String] {
    watermarks.compactMap { $0.source ?? own }
  }

  /// True if a picture must be loaded before the pipeline can be made.
  var needsWatermarks: Bool { !watermarks.isEmpty }

  private var watermarks: [WatermarkOrder] {
    switch pixels {
    case .recipe(_, let watermark): watermark.map { [$0] } ?? []
    case .steps(let steps):
      steps.compactMap { step in
        if case .watermark(let watermark) = step { watermark } else { nil }
      }
    }
  }
}

extension WatermarkOrder {
  func transformer(_ picture: Watermark) -> TransformerPipeline {
    guard let gaps else {
      return .watermark(picture.bitmap, name: picture.name, gravity: gravity, opacity: opacity, scale: scale)
    }
    return .watermark(
      repeating: picture.bitmap, name: picture.name, gapX: gaps.x, gapY: gaps.y, gravity: gravity, opacity: opacity,
      scale: scale)
  }
}
