import EaselCore
import EaselTransformers

extension ImageOrder {
  /// The order with the width and the pixel ratio of a browser, where the URL states none.
  func applying(width: Int?, pixelRatio: Double?) -> ImageOrder {
    guard width != nil || pixelRatio != nil else { return self }
    func applied(to recipe: PixelRecipe) -> PixelRecipe {
      var recipe = recipe
      if let width, recipe.width == 0, recipe.height == 0 { recipe.width = width }
      if let pixelRatio, !statesPixelRatio { recipe.pixelRatio = pixelRatio }
      return recipe
    }
    var order = self
    switch pixels {
    case .recipe(let recipe, let watermark): order.pixels = .recipe(applied(to: recipe), watermark: watermark)
    case .chain(var links):
      if !links.isEmpty { links[0].recipe = applied(to: links[0].recipe) }
      order.pixels = .chain(links)
    case .steps: break
    }
    return order
  }

  /// The order with no longer sides of its result than this, if it has a recipe.
  func bounded(to side: Int) -> ImageOrder {
    var order = self
    switch pixels {
    case .recipe(var recipe, let watermark):
      recipe.mostSide = side
      order.pixels = .recipe(recipe, watermark: watermark)
    case .chain(var links):
      for index in links.indices { links[index].recipe.mostSide = side }
      order.pixels = .chain(links)
    case .steps: break
    }
    return order
  }

  /// The transformers of the order, with its fidelity; `transformer` makes that of a watermark.
  func pipeline(
    watermark transformer: (WatermarkOrder) throws(ServiceError) -> TransformerPipeline
  ) throws(ServiceError) -> TransformerPipeline {
    let pipeline = try steps(watermark: transformer)
    return fidelity.map { pipeline.with($0) } ?? pipeline
  }

  private func steps(
    watermark transformer: (WatermarkOrder) throws(ServiceError) -> TransformerPipeline
  ) throws(ServiceError) -> TransformerPipeline {
    switch pixels {
    case .recipe(let recipe, let watermark):
      return try Link(recipe: recipe, watermark: watermark).pipeline(watermark: transformer)
    case .chain(let links):
      var pipeline = TransformerPipeline.identity
      for link in links { pipeline = pipeline.then(try link.pipeline(watermark: transformer)) }
      return pipeline
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

  /// The pictures of all watermarks; `own` is the source of the server's, nil if it has none.
  func watermarkPictures(own: String?) -> [WatermarkOrder.Picture] { watermarks.compactMap { $0.picture(own: own) } }

  /// True if a picture must be loaded before the pipeline can be made.
  var needsWatermarks: Bool { !watermarks.isEmpty }

  private var watermarks: [WatermarkOrder] {
    switch pixels {
    case .recipe(_, let watermark): watermark.map { [$0] } ?? []
    case .chain(let links): links.compactMap(\.watermark)
    case .steps(let steps):
      steps.compactMap { step in
        if case .watermark(let watermark) = step { watermark } else { nil }
      }
    }
  }
}

extension ImageOrder.Link {
  fileprivate func pipeline(
    watermark transformer: (WatermarkOrder) throws(ServiceError) -> TransformerPipeline
  ) throws(ServiceError) -> TransformerPipeline {
    var recipe = recipe
    if let watermark { recipe.watermark = try transformer(watermark) }
    do throws(ImageError) {
      return try recipe.pipeline()
    } catch {
      throw ServiceError(400, error.message)
    }
  }
}

extension WatermarkOrder {
  /// The picture of a watermark: its source, and how it is made ready before it is drawn.
  struct Picture: Hashable {
    let source: String
    /// True if the source is the text itself.
    let isText: Bool
    let box: PixelSize?
    let angle: Double
    let shadow: Double

    var preparation: TransformerPipeline {
      var steps = TransformerPipeline.identity
      if let box { steps = steps.then(.resize(width: box.width, height: box.height, mode: .fit)) }
      // Angles are clockwise here.
      if angle != 0 { steps = steps.then(.rotate(degrees: -angle)) }
      if shadow > 0 { steps = steps.then(.custom(Shadow(deviation: shadow))) }
      return steps
    }
  }

  /// The picture of this watermark; nil if neither it nor the server has a source.
  func picture(own: String?) -> Picture? {
    (text ?? source ?? own).map {
      Picture(
        source: $0, isText: text != nil, box: scale == nil ? box : nil, angle: angle.remainder(dividingBy: 360),
        shadow: shadow)
    }
  }

  func transformer(_ picture: Watermark) -> TransformerPipeline {
    if isFrame { return .custom(NinePatchFrame(picture: picture)) }
    if let spread {
      return .custom(SpreadWatermark(picture: picture, places: spread, opacity: opacity, scale: scale))
    }
    guard let gaps else {
      return .watermark(
        picture.bitmap, name: picture.name, gravity: gravity, opacity: opacity, scaleX: scale?.x ?? 0,
        scaleY: scale?.y ?? 0)
    }
    return .watermark(
      repeating: picture.bitmap, name: picture.name, gapX: gaps.x, gapY: gaps.y, gravity: gravity, opacity: opacity,
      scale: scale?.x)
  }
}
