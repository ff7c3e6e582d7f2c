import Easel

/// The options that determine the size of a picture.
enum SizeOptions {
  enum Mode: String, CaseIterable {
    case fit, fill
    case fillDown = "fill-down"
    case force, pad, auto

    /// The mode in the terms of a recipe; nil for bars, which a recipe cannot add while it resizes.
    var fitting: PixelRecipe.Fitting? {
      switch self {
      case .fit: .fit
      case .fill: .fill
      case .fillDown: .fillDown
      case .force: .force
      case .pad: nil
      case .auto: .auto
      }
    }
  }

  /// The value of `--resize`.
  struct Size: Sendable {
    let box: PixelSize
    /// The default mode: a single number is a square that the picture fits in, and two numbers are the size of the
    /// picture.
    let usualMode: Mode

    init?(reading text: String) {
      guard let box = PixelSize(reading: text) else { return nil }
      self.box = box
      usualMode = text.lowercased().contains("x") ? .force : .fit
    }
  }

  static let resize = Option<Size>(
    OptionDescription(
      name: "resize", placeholder: "SIZE",
      expectation: "a size such as 300, 320x240, or 320x0 for a side that follows from the other",
      help: "N makes the picture as large as fits into N by N pixels, and WxH gives it exactly this size, unless "
        + "--mode says otherwise. A side of 0 follows from the other.")
  ) { Size(reading: $0) }
  static let mode = Option<Mode>(
    OptionDescription(
      name: "mode", placeholder: "MODE", expectation: "one of \(Mode.allCases.map(\.rawValue).joined(separator: ", "))",
      help: "What --resize does if the ratio of the sides changes: fit makes the picture as large as fits, fill covers "
        + "the size and cuts off what sticks out, fill-down cuts a picture that is too small to the ratio, force "
        + "stretches it, pad adds transparent bars, and auto is fill if picture and size are both wide or both upright, "
        + "else fit. The default is fit for one number and force for two.",
      completion: .words(Mode.allCases.map(\.rawValue)),
      formerValues: ["inside": "fit", "cover": "fill", "cover-down": "fill-down"])
  ) { Mode(rawValue: $0) }

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
    pixelRatio.description, CommonOptions.fidelity.description,
  ]

  /// The names of the options that work without `--resize`.
  static let independent = [minSize.description.name, zoom.description.name]

  /// A recipe with all options except the size itself.
  private static func recipe(
    _ mode: Mode, _ arguments: Arguments, gravity: TransformerPipeline.Gravity
  ) throws(UsageError) -> PixelRecipe {
    var recipe = PixelRecipe()
    recipe.fitting = mode.fitting ?? .fit
    recipe.gravity = gravity
    recipe.enlarges = !arguments.has(noEnlarge)
    if let least = try arguments.value(minSize) {
      (recipe.minimumWidth, recipe.minimumHeight) = (least.width, least.height)
    }
    if let zoom = try arguments.value(zoom) { (recipe.zoomX, recipe.zoomY) = (zoom, zoom) }
    recipe.pixelRatio = try arguments.value(pixelRatio) ?? 1
    recipe.fidelity = try arguments.value(CommonOptions.fidelity) ?? .faithful
    return recipe
  }

  /// The pipeline that resizes to `size` or, without a size, applies the other options alone.
  static func pipeline(
    _ size: Size?, _ arguments: Arguments, gravity: TransformerPipeline.Gravity
  ) throws(UsageError) -> TransformerPipeline {
    let mode = try arguments.value(mode) ?? size?.usualMode ?? .force
    var recipe = try recipe(mode, arguments, gravity: gravity)
    if let box = size?.box {
      (recipe.width, recipe.height) = (box.width, box.height)
      if mode == .pad { return try withBars(box, recipe, arguments) }
    }
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
      throw UsageError("--mode pad does not go with --\(name). Use --mode fit and --extend.")
    }
    return .resize(
      width: scaled(size.width, by: recipe.pixelRatio), height: scaled(size.height, by: recipe.pixelRatio),
      mode: .pad, gravity: recipe.gravity, fidelity: recipe.fidelity)
  }

  /// A length converted to pixels of the screen.
  static func scaled(_ length: Int, by ratio: Double) -> Int { Int((Double(length) * ratio).rounded()) }
}
