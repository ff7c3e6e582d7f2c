import EaselCore
import EaselTransformers

/// The values of all options of a URL, in whatever order they came.
struct CloudflareDraft {
  enum Fit: Sendable { case scaleDown, contain, cover, crop, aspectCrop, pad, squeeze }
  enum Format: Sendable { case auto, avif, webp, jpeg, baselineJPEG, png }
  enum Metadata: Sendable { case keep, copyright, none }

  /// The pixels that are cut off, and the sides of what stays; a side of 0 is what is left.
  struct Trim: Sendable {
    var (top, right, bottom, left, width, height) = (0, 0, 0, 0, 0, 0)

    var isNothing: Bool { (top, right, bottom, left) == (0, 0, 0, 0) && (width, height) == (0, 0) }

    /// The part of a picture that stays.
    func part(of size: PixelSize) -> PixelRect {
      let most = PixelSize(width: max(0, size.width - left - right), height: max(0, size.height - top - bottom))
      return PixelRect(
        x: left, y: top, width: width > 0 ? min(width, most.width) : most.width,
        height: height > 0 ? min(height, most.height) : most.height)
    }

    func scaled(by factor: Double) -> Trim {
      var trim = self
      for path in [\Trim.top, \.right, \.bottom, \.left, \.width, \.height] {
        trim[keyPath: path] = Int((Double(self[keyPath: path]) * factor).rounded())
      }
      return trim
    }
  }

  var order: ImageOrder
  var fit = Fit.scaleDown
  var trim = Trim()
  /// Clockwise, in degrees.
  var rotation = 0
  var flip = ""
  var background: PixelColor?
  /// A radius, of which half is the standard deviation.
  var blur = 0.0
  var brightness = 1.0
  var contrast = 1.0
  var saturation = 1.0
  var sharpen = 0.0
  var format = Format.auto
  var metadata = Metadata.copyright

  init(source: String) { order = ImageOrder(source: source) }

  /// The order that the options make together.
  func finished() throws(ServiceError) -> ImageOrder {
    var order = order
    order.recipe = recipe
    setFile(&order)
    guard !self.trim.isNothing else { return order }
    let (whole, trim) = (order, self.trim.scaled(by: order.recipe.pixelRatio))
    order.completion = { size throws(ServiceError) in
      var part = whole
      let rect = trim.part(of: size)
      guard !rect.isEmpty else {
        throw ServiceError(400, "The option trim leaves nothing of the picture, which is \(size).")
      }
      part.region = rect
      return part
    }
    return order
  }

  private var recipe: PixelRecipe {
    var recipe = order.recipe
    (recipe.fitting, recipe.enlarges) =
      switch fit {
      case .scaleDown: (.fit, false)
      case .contain: (.fit, true)
      case .cover: (.fill, true)
      case .crop: (.fill, false)
      case .aspectCrop: (.fillDown, false)
      case .pad: (.pad, true)
      case .squeeze: (.force, true)
      }
    recipe.background = background ?? (fit == .pad ? .white : nil)
    if recipe.background?.alpha == 0 { recipe.background = nil }
    if !flip.isEmpty {
      recipe.turn = recipe.turn.then(.flip(horizontal: flip.contains("h"), vertical: flip.contains("v")))
    }
    if rotation != 0 { recipe.turn = recipe.turn.then(.rotate(degrees: -Double(rotation))) }
    recipe.effects = effects
    return recipe
  }

  private var effects: TransformerPipeline {
    var effects = TransformerPipeline.identity
    if brightness != 1 { effects = effects.then(.brightness(brightness)) }
    if contrast != 1 { effects = effects.then(.contrast(contrast)) }
    if saturation != 1 { effects = effects.then(.saturation(saturation)) }
    if blur > 0 { effects = effects.then(.blur(blur / 2)) }
    if sharpen > 0 { effects = effects.then(.sharpen(sharpen)) }
    return effects
  }

  private func setFile(_ order: inout ImageOrder) {
    switch format {
    case .auto: break
    case .avif: order.format = .avif
    case .webp: order.format = .webp
    case .jpeg, .baselineJPEG: order.format = .jpeg
    case .png: order.format = .png
    }
    if format == .jpeg || format == .baselineJPEG {
      order.tunings[.jpeg] = ImageOrder.Tuning(isProgressive: format == .jpeg)
    }
    if format == .webp, order.quality == 1 { order.tunings[.webp] = ImageOrder.Tuning(isLossless: true) }
    order.keepsMetadata = metadata == .keep
    order.keepsCopyright = metadata == .copyright
  }
}
