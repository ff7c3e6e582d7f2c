import Easel

/// The options that say how a picture gets its size.
enum SizeOptions {
  enum Mode: String, CaseIterable {
    case fill, fit, cover, inside, auto
    case coverDown = "cover-down"

    /// The way in terms of a recipe; nil for bars, which no recipe adds while it resizes.
    var fitting: PixelRecipe.Fitting? {
      switch self {
      case .fill: .fill
      case .fit: nil
      case .cover: .aspectFill
      case .coverDown: .aspectFillDown
      case .inside: .inside
      case .auto: .automatic
      }
    }
  }

  static let resize = CommonOptions.size(
    "resize", "Give the picture this size. A side of 0 is computed from the other.")
  static let mode = Option<Mode>.choice(
    "mode", "MODE",
    "What --resize does if the ratio of the sides changes: fill stretches the picture, fit adds transparent bars, "
      + "inside makes it as large as fits, cover cuts off what does not fit, cover-down cuts a picture that is too small "
      + "to the ratio, and auto covers if picture and size are both wide or both upright. The default is fill.")
  static let noEnlarge = Option<Bool>.flag("no-enlarge", "Never make the picture larger with --resize.")
  static let minSize = CommonOptions.size(
    "min-size", "Enlarge the resized picture to at least this size; what then sticks out of --resize is cut off.")
  static let zoom = Option<Double>.number(
    "zoom", "FACTOR", in: 0.001...1000, "a factor from 0.001 to 1000",
    "Multiply both sides after --resize, or without it those of the picture.")
  static let pixelRatio = Option<Double>.number(
    "dpr", "RATIO", in: 0.1...8, "a ratio from 0.1 to 8",
    "The pixels of the screen for each pixel of --resize, --min-size, --extend, --padding and the watermark's offset.")

  static let all = [
    resize.description, mode.description, noEnlarge.description, minSize.description, zoom.description,
    pixelRatio.description,
  ]

  /// The names of the options that work without `--resize`.
  static let independent = [minSize.description.name, zoom.description.name]

  /// A recipe with everything but the size itself.
  static func recipe(
    _ arguments: Arguments, gravity: TransformerPipeline.Gravity
  ) throws(UsageError) -> PixelRecipe {
    var recipe = PixelRecipe()
    recipe.fitting = try (arguments.value(mode) ?? .fill).fitting ?? .inside
    recipe.gravity = gravity
    recipe.enlarges = !arguments.has(noEnlarge)
    if let least = try arguments.value(minSize) {
      (recipe.minimumWidth, recipe.minimumHeight) = (least.width, least.height)
    }
    if let zoom = try arguments.value(zoom) { (recipe.zoomX, recipe.zoomY) = (zoom, zoom) }
    recipe.pixelRatio = try arguments.value(pixelRatio) ?? 1
    return recipe
  }

  /// The resize to a size, or without one by the other options alone.
  static func pipeline(
    _ size: PixelSize?, _ arguments: Arguments, gravity: TransformerPipeline.Gravity
  ) throws(UsageError) -> TransformerPipeline {
    var recipe = try recipe(arguments, gravity: gravity)
    if let size { (recipe.width, recipe.height) = (size.width, size.height) }
    if let size, try arguments.value(mode) == .fit { return try withBars(size, recipe, arguments) }
    do throws(ImageError) {
      return try recipe.pipeline()
    } catch {
      throw UsageError(printable(error.message))
    }
  }

  private static func withBars(
    _ size: PixelSize, _ recipe: PixelRecipe, _ arguments: Arguments
  ) throws(UsageError) -> TransformerPipeline {
    for name in [noEnlarge.description.name, minSize.description.name, zoom.description.name]
    where arguments.options.contains(where: { $0.name == name }) {
      throw UsageError("--mode fit adds bars and does not go with --\(name). Use --mode inside and --extend.")
    }
    return .resize(
      width: scaled(size.width, by: recipe.pixelRatio), height: scaled(size.height, by: recipe.pixelRatio),
      mode: .aspectFit, gravity: recipe.gravity)
  }

  /// A length in pixels of the screen.
  static func scaled(_ length: Int, by ratio: Double) -> Int { Int((Double(length) * ratio).rounded()) }
}
