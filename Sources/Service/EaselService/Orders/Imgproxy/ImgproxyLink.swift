import EaselCore
import EaselPixels
import EaselTransformers

/// The options of the pixels in one pipeline of a URL.
struct ImgproxyLink {
  var recipe = PixelRecipe()
  var gravity = TransformerPipeline.Gravity.center
  /// Bars up to the size, which win over those up to its ratio.
  var sizeBars = Bars()
  var ratioBars = Bars()
  var crop:
    (width: TransformerPipeline.Length, height: TransformerPipeline.Length, gravity: TransformerPipeline.Gravity?)?
  var trimsEqually = (horizontally: false, vertically: false)
  var cropRatio: (ratio: Double, enlarges: Bool)?
  var quarterTurns = 0
  var flips = (horizontal: false, vertical: false)
  var background: PixelColor?
  var backgroundAlpha = 1.0
  var watermark = WatermarkOrder()
  var hasWatermark = false
  /// The name of the watermark's place, `re` for watermarks that repeat, and its offsets.
  var watermarkPlace = (
    name: "ce", x: TransformerPipeline.Length.pixels(0), y: TransformerPipeline.Length.pixels(0)
  )
  var look = Look()

  struct Bars {
    var isOn = false
    var gravity = TransformerPipeline.Gravity.center
  }

  /// The changes of the look, which are made in this order.
  struct Look {
    var brightness = 0.0
    var contrast = 1.0
    var saturation = 1.0
    var monochrome: (intensity: Double, color: PixelColor)?
    var duotone: (intensity: Double, shadows: PixelColor, highlights: PixelColor)?
    var blur = 0.0
    var sharpen = 0.0
    var block = 0
    var blurredAreas: (deviation: Double, areas: [AreaBlur.Area])?
    var layer: (color: PixelColor, keepsAlpha: Bool)?
    var gradient: Gradient?

    func pipeline(after turn: (quarters: Int, flips: (horizontal: Bool, vertical: Bool))) -> TransformerPipeline {
      var steps = TransformerPipeline.identity
      // 255 is white, so a factor cannot express it; it is added to all components.
      if brightness != 0 { steps = steps.then(.colorMatrix(.adding(brightness / 255))) }
      if contrast != 1 { steps = steps.then(.contrast(contrast)) }
      if saturation != 1 { steps = steps.then(.saturation(saturation)) }
      if let monochrome, monochrome.intensity > 0 {
        steps = steps.then(.duotone(shadows: .black, highlights: monochrome.color, amount: monochrome.intensity))
      }
      if let duotone, duotone.intensity > 0 {
        steps = steps.then(
          .duotone(shadows: duotone.shadows, highlights: duotone.highlights, amount: duotone.intensity))
      }
      if blur > 0 { steps = steps.then(.blur(blur)) }
      if sharpen > 0 { steps = steps.then(.sharpen(1, radius: sharpen)) }
      if block > 1 { steps = steps.then(.pixelate(block)) }
      if let blurredAreas, blurredAreas.deviation > 0, !blurredAreas.areas.isEmpty {
        let areas = blurredAreas.areas.map { $0.turned(clockwise: turn.quarters).flipped(turn.flips) }
        steps = steps.then(.custom(AreaBlur(deviation: blurredAreas.deviation, areas: areas)))
      }
      if let layer, layer.color.alpha > 0 {
        steps = steps.then(.tint(layer.color, mode: layer.keepsAlpha ? .sourceAtop : .normal))
      }
      if let gradient, gradient.color.alpha > 0 { steps = steps.then(.custom(gradient)) }
      return steps
    }
  }

  func finished() throws(ServiceError) -> ImageOrder.Link {
    try checkBlurredAreas()
    var recipe = recipe
    recipe.keepsFreeSide = recipe.fitting == .force
    recipe.gravity = gravity
    if sizeBars.isOn {
      recipe.bars = .toSize(gravity: sizeBars.gravity)
    } else if ratioBars.isOn {
      recipe.bars = .toRatio(gravity: ratioBars.gravity)
    }
    var turn = TransformerPipeline.identity
    // Angles are clockwise here.
    if quarterTurns != 0 { turn = turn.then(.rotate(degrees: Double(-90 * quarterTurns))) }
    if flips.horizontal || flips.vertical {
      turn = turn.then(.flip(horizontal: flips.horizontal, vertical: flips.vertical))
    }
    recipe.turn = turn
    recipe.crop = cropping(before: turn)
    recipe.effects = look.pipeline(after: (quarterTurns, flips))
    if var background {
      background.alpha = UInt8((backgroundAlpha * 255).rounded())
      recipe.background = background.alpha == 0 ? nil : background
    }
    return ImageOrder.Link(
      recipe: recipe, watermark: hasWatermark && watermark.opacity > 0 ? watermark : nil)
  }

  /// The areas are shares of the whole picture; in a part of it, other things than those meant would be hidden.
  private func checkBlurredAreas() throws(ServiceError) {
    guard let areas = look.blurredAreas, areas.deviation > 0, !areas.areas.isEmpty else { return }
    let cutsToSize = recipe.fitting.cuts && recipe.width > 0 && recipe.height > 0
    guard crop == nil, cropRatio == nil, recipe.trim.isIdentity, !cutsToSize else {
      throw ServiceError(
        400,
        "The option blur_areas goes only with pictures that stay whole: not with crop, trim, or a size that cuts "
          + "something off. Cut in a pipeline of its own, after /-/.")
    }
  }

  /// The crop, which is made before the turn, although its sides and its gravity are those of the turned picture.
  private func cropping(before turn: TransformerPipeline) -> TransformerPipeline {
    let place = (crop?.gravity ?? gravity).before(turn)
    let isUpright = quarterTurns.isMultiple(of: 2)
    let sides = crop.map { isUpright ? ($0.width, $0.height) : ($0.height, $0.width) }
    let cuts = sides.map { $0.0 != .pixels(0) || $0.1 != .pixels(0) } ?? false
    guard let cropRatio, cropRatio.ratio > 0 else {
      guard cuts, let sides else { return .identity }
      return .crop(width: sides.0, height: sides.1, gravity: place)
    }
    let ratio = isUpright ? cropRatio.ratio : 1 / cropRatio.ratio
    guard cuts, let sides else { return .crop(ratioWidth: ratio, ratioHeight: 1, gravity: place) }
    return .crop(width: sides.0, height: sides.1, ratio: ratio, enlarges: cropRatio.enlarges, gravity: place)
  }
}

extension PixelRecipe.Fitting {
  /// True if a picture of another shape loses parts.
  fileprivate var cuts: Bool { ![.fit, .pad, .force].contains(self) }
}

extension Bitmap.ColorMatrix {
  /// A matrix that adds this much to red, green and blue; 1 is white.
  fileprivate static func adding(_ amount: Double) -> Bitmap.ColorMatrix {
    Bitmap.ColorMatrix(rows: [
      [1, 0, 0, 0, amount], [0, 1, 0, 0, amount], [0, 0, 1, 0, amount], [0, 0, 0, 1, 0],
    ])
  }
}
