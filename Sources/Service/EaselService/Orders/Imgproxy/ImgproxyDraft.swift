import EaselCore
import EaselPixels
import EaselTransformers

/// The values of all options of a URL, in whatever order they came.
struct ImgproxyDraft {
  /// The names of formats; nil to take any, where the coders are not known yet.
  let formats: FormatNames?
  var order = PictureOrder(source: "")
  var recipe = PixelRecipe()
  var gravity = TransformerPipeline.Gravity.center
  var bars: Bars?
  var crop:
    (width: TransformerPipeline.Length, height: TransformerPipeline.Length, gravity: TransformerPipeline.Gravity?)?
  var cropRatio: Double?
  var quarterTurns = 0
  var flips = (horizontal: false, vertical: false)
  var background: PixelColor?
  var backgroundAlpha = 1.0
  var watermark = WatermarkOrder()
  var hasWatermark = false
  var look = Look()

  init(_ formats: FormatNames?) { self.formats = formats }

  func format(named name: Substring) -> ImageFormat? {
    guard let formats else { return ImageFormat(mimeType: "image/\(name)") }
    return formats.format(named: name)
  }

  enum Bars {
    case toSize(TransformerPipeline.Gravity?)
    case toRatio(TransformerPipeline.Gravity?)
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

    var pipeline: TransformerPipeline {
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
      return steps
    }
  }

  /// The order that the options make together.
  func finished(source: String) -> PictureOrder {
    var recipe = recipe
    recipe.gravity = gravity
    recipe.crop = cropping
    switch bars {
    case .toSize(let place): recipe.bars = .toSize(gravity: place ?? .center)
    case .toRatio(let place): recipe.bars = .toRatio(gravity: place ?? .center)
    case nil: break
    }
    var turn = TransformerPipeline.identity
    // Angles are clockwise here.
    if quarterTurns != 0 { turn = turn.then(.rotate(degrees: Double(-90 * quarterTurns))) }
    if flips.horizontal || flips.vertical {
      turn = turn.then(.flip(horizontal: flips.horizontal, vertical: flips.vertical))
    }
    recipe.turn = turn
    recipe.effects = look.pipeline
    if var background {
      background.alpha = UInt8((backgroundAlpha * 255).rounded())
      recipe.background = background.alpha == 0 ? nil : background
    }
    var order = order
    order.source = source
    order.pixels = .recipe(recipe, watermark: hasWatermark && watermark.opacity > 0 ? watermark : nil)
    return order
  }

  private var cropping: TransformerPipeline {
    var steps = TransformerPipeline.identity
    let place = crop?.gravity ?? gravity
    if let crop, crop.width != .pixels(0) || crop.height != .pixels(0) {
      steps = steps.then(.crop(width: crop.width, height: crop.height, gravity: place))
    }
    if let cropRatio, cropRatio > 0 {
      steps = steps.then(.crop(ratioWidth: cropRatio, ratioHeight: 1, gravity: place))
    }
    return steps
  }
}

extension Bitmap.ColorMatrix {
  /// A matrix that adds this much to red, green and blue; 1 is white.
  fileprivate static func adding(_ amount: Double) -> Bitmap.ColorMatrix {
    Bitmap.ColorMatrix(rows: [
      [1, 0, 0, 0, amount], [0, 1, 0, 0, amount], [0, 0, 1, 0, amount], [0, 0, 0, 1, 0],
    ])
  }
}
