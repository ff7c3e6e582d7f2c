import Easel

/// The options that change a picture, applied in the given order.
enum TransformerOptions {
  struct Turn: Sendable {
    let horizontal: Bool
    let vertical: Bool
  }

  enum Cut: Sendable {
    case rect(PixelRect)
    case size(PixelSize)
  }

  static let gravity = Option<TransformerPipeline.Gravity>(
    OptionDescription(
      name: "gravity", placeholder: "PLACE",
      expectation: "a point of the compass such as north-east, center, smart, or X,Y from 0 to 1",
      help:
        "The part that a cut by size or ratio keeps, or the place of the picture between bars: a point of the compass, "
        + "X,Y from 0 to 1 for a focal point, or smart for the part that attracts the eye. The default is center.",
      completion: .words(TransformerPipeline.Gravity.named.map(\.name)))
  ) { TransformerPipeline.Gravity(reading: $0) }
  static let crop = Option<Cut>(
    OptionDescription(
      name: "crop", placeholder: "X,Y,W,H",
      expectation: "a rectangle such as 10,20,300,200 or 300x200+10+20, or a size such as 300x200",
      help: "Cut out W by H pixels, X from the left and Y from the top. WxH alone cuts by --gravity.")
  ) { cut($0) }
  static let cropRatio = Option<Ratio>(
    OptionDescription(
      name: "crop-ratio", placeholder: "W:H", expectation: "a ratio such as 16:9",
      help: "Cut out the largest part with this ratio of width to height, by --gravity.")
  ) { Ratio(reading: $0) }
  static let extendRatio = Option<Ratio>(
    OptionDescription(
      name: "extend-ratio", placeholder: "W:H", expectation: "a ratio such as 16:9",
      help: "Add transparent bars up to this ratio of width to height; the picture lies by --gravity.")
  ) { Ratio(reading: $0) }
  static let extend = CommonOptions.size(
    "extend", "Add bars up to at least this size; the picture lies by --gravity.")
  static let padding = Option<TransformerPipeline.Insets>(
    OptionDescription(
      name: "padding", placeholder: "WIDTHS", expectation: "one to four widths such as 10 or 10,20,10,20",
      help: "Add a border of these widths, in the order of CSS: top, right, bottom, left.")
  ) { insets($0) }
  static let bars = Option<PixelColor>(
    OptionDescription(
      name: "bars", placeholder: "COLOR", expectation: "a colour such as white, black or #ff8800",
      help: "The colour of the bars and borders that --extend, --extend-ratio and --padding add. The default is "
        + "transparent.", completion: .words(["white", "black"]))
  ) { PixelColor(reading: $0) }
  static let trim = Option<Double>.number(
    "trim", "TOLERANCE", in: 0...255, "a difference from 0 to 255",
    "Cut off borders that differ from the top left pixel by no more than this in any component.")
  static let rotate = Option<Double>.number(
    "rotate", "DEGREES", in: -1e6...1e6, "an angle in degrees",
    "Turn the picture counter-clockwise; the canvas grows if needed.")
  static let flip = Option<Turn>(
    OptionDescription(
      name: "flip", placeholder: "DIRECTION", expectation: "horizontal, vertical or both",
      help: "Mirror the picture: horizontal swaps left and right.",
      completion: .words(["horizontal", "vertical", "both"]))
  ) { turn($0) }
  static let round = Option<Double>.number(
    "round", "RADIUS", in: 0...1e6, "a radius in pixels", "Round the corners.")
  static let blur = Option<Double>.number(
    "blur", "RADIUS", in: 0...1e5, "a radius in pixels", "Blur nearly as a Gaussian with this standard deviation.")
  static let grayscale = Option<Bool>.flag("grayscale", "Make the picture grey.")
  static let duotone = Option<Tones>(
    OptionDescription(
      name: "duotone", placeholder: "DARK,LIGHT", expectation: "two colours such as #102040,#ffeedd",
      help: "Draw the picture in the colours between these two, by its brightness.")
  ) { Tones(reading: $0) }
  static let pixelate = Option<Int>.integer(
    "pixelate", "SIDE", in: 1...1_000_000, "Turn the picture into squares with a side of this many pixels.")
  static let transform = Option<String>(
    OptionDescription(
      name: "transform", placeholder: "KEY",
      expectation: "the suffix of a cache key, such as 'Resize({320,240},1)-Blur(2)'",
      help: "Repeat the transformers, the decode options and the form that the suffix of a cache key names.",
      mayRepeat: true)
  ) { $0 }

  static let all =
    SizeOptions.all + [
      gravity.description, crop.description, cropRatio.description, extend.description, extendRatio.description,
      padding.description, bars.description, trim.description, rotate.description, flip.description, round.description,
      blur.description, pixelate.description, grayscale.description, duotone.description, transform.description,
    ] + WatermarkOptions.all + TextOptions.all

  /// The pipeline that the options describe, in order; a replayed key may also have settings.
  static func pipeline(
    _ arguments: Arguments, _ settings: inout KeyReplay.Settings
  ) throws(UsageError) -> TransformerPipeline {
    let given = Set(arguments.options.map(\.name))
    try checkDependencies(given, arguments)
    var pipeline = TransformerPipeline.identity
    if !given.contains(SizeOptions.resize.description.name), !given.isDisjoint(with: SizeOptions.independent) {
      let gravity = try arguments.value(gravity) ?? .center
      pipeline = try SizeOptions.pipeline(nil, arguments, gravity: gravity)
    }
    for option in arguments.options {
      if let next = try step(option, arguments, &settings) { pipeline = pipeline.then(next) }
    }
    return pipeline
  }

  private static func checkDependencies(_ given: Set<String>, _ arguments: Arguments) throws(UsageError) {
    let resizes = given.contains(SizeOptions.resize.description.name)
    for option in [SizeOptions.mode.description.name, SizeOptions.noEnlarge.description.name]
    where given.contains(option) && !resizes {
      throw UsageError("--\(option) says how --resize works, so it needs --resize.")
    }
    if given.contains(CommonOptions.fidelity.description.name), !resizes,
      given.isDisjoint(with: SizeOptions.independent)
    {
      throw UsageError("--fidelity says how --resize, --min-size and --zoom work, so it needs one of them.")
    }
    let placed =
      [SizeOptions.resize.description.name, extend.description.name, crop.description.name]
      + [cropRatio, extendRatio].map(\.description.name)
    guard !given.contains(gravity.description.name) || !given.isDisjoint(with: placed) else {
      throw UsageError(
        "--gravity says what a cut keeps or where bars go, and there is no --resize, --crop, --crop-ratio, --extend or "
          + "--extend-ratio.")
    }
    let painted = [extend.description.name, extendRatio.description.name, padding.description.name]
    guard !given.contains(bars.description.name) || !given.isDisjoint(with: painted) else {
      throw UsageError("--bars is the colour of --extend, --extend-ratio and --padding, and there is none of them.")
    }
    let measured =
      placed + [
        SizeOptions.minSize.description.name, padding.description.name, WatermarkOptions.offset.description.name,
      ]
      + [WatermarkOptions.gap.description.name, TextOptions.text.description.name]
    guard !given.contains(SizeOptions.pixelRatio.description.name) || !given.isDisjoint(with: measured) else {
      throw UsageError(
        "--dpr multiplies the pixels of --resize, --min-size, --extend, --padding, the watermark's offset and --text, "
          + "and there is none of them.")
    }
    try WatermarkOptions.check(arguments)
    try TextOptions.check(arguments)
  }

  private static func step(
    _ given: Arguments.Given, _ arguments: Arguments, _ settings: inout KeyReplay.Settings
  ) throws(UsageError) -> TransformerPipeline? {
    let gravity = try arguments.value(gravity) ?? .center
    let ratio = try arguments.value(SizeOptions.pixelRatio) ?? 1
    switch given.name {
    case SizeOptions.resize.description.name:
      return try SizeOptions.pipeline(SizeOptions.resize.value(of: given), arguments, gravity: gravity)
    case crop.description.name:
      switch try crop.value(of: given) {
      case .rect(let rect): return .crop(rect)
      case .size(let size): return .crop(width: size.width, height: size.height, gravity: gravity)
      }
    case cropRatio.description.name:
      let ratio = try cropRatio.value(of: given)
      return .crop(ratioWidth: ratio.width, ratioHeight: ratio.height, gravity: gravity)
    case extend.description.name, extendRatio.description.name, padding.description.name:
      return try surroundings(given, try arguments.value(bars) ?? .clear, gravity, ratio)
    case trim.description.name: return .trim(tolerance: try trim.value(of: given))
    case rotate.description.name: return .rotate(degrees: try rotate.value(of: given))
    case flip.description.name:
      let turn = try flip.value(of: given)
      return .flip(horizontal: turn.horizontal, vertical: turn.vertical)
    case WatermarkOptions.file.description.name:
      return try WatermarkOptions.pipeline(given.value, arguments, pixelRatio: ratio)
    case TextOptions.text.description.name:
      return try TextOptions.pipeline(given.value, arguments, pixelRatio: ratio)
    case transform.description.name: return try KeyReplay.read(given.value, &settings)
    default: return try look(given)
    }
  }

  private static func surroundings(
    _ given: Arguments.Given, _ color: PixelColor, _ gravity: TransformerPipeline.Gravity, _ pixelRatio: Double
  ) throws(UsageError) -> TransformerPipeline {
    func scaled(_ length: Int) -> Int { SizeOptions.scaled(length, by: pixelRatio) }
    switch given.name {
    case extend.description.name:
      let size = try extend.value(of: given)
      return .extend(width: scaled(size.width), height: scaled(size.height), color: color, gravity: gravity)
    case extendRatio.description.name:
      let ratio = try extendRatio.value(of: given)
      return .extend(ratioWidth: ratio.width, ratioHeight: ratio.height, color: color, gravity: gravity)
    default:
      let widths = try padding.value(of: given)
      return .pad(
        top: scaled(widths.top), left: scaled(widths.left), bottom: scaled(widths.bottom),
        right: scaled(widths.right), color: color)
    }
  }

  private static func look(_ given: Arguments.Given) throws(UsageError) -> TransformerPipeline? {
    switch given.name {
    case round.description.name: return .roundCorners(try round.value(of: given))
    case blur.description.name: return .blur(try blur.value(of: given))
    case pixelate.description.name: return .pixelate(try pixelate.value(of: given))
    case grayscale.description.name: return .grayscale
    case duotone.description.name:
      let tones = try duotone.value(of: given)
      return .duotone(shadows: tones.shadows, highlights: tones.highlights)
    default: return nil
    }
  }

  private static func insets(_ text: String) -> TransformerPipeline.Insets? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard !numbers.contains(nil), numbers.allSatisfy({ $0! <= 1_000_000 }) else { return nil }
    return try? TransformerPipeline.Insets(css: numbers.map { $0! })
  }

  private static func turn(_ text: String) -> Turn? {
    switch text {
    case "horizontal", "h": Turn(horizontal: true, vertical: false)
    case "vertical", "v": Turn(horizontal: false, vertical: true)
    case "both", "hv", "vh": Turn(horizontal: true, vertical: true)
    default: nil
    }
  }

  /// Reads `X,Y,W,H`, `WxH+X+Y` and `WxH`.
  private static func cut(_ text: String) -> Cut? {
    let isGeometry = text.contains("x")
    let parts = text.split(omittingEmptySubsequences: false) { isGeometry ? $0 == "x" || $0 == "+" : $0 == "," }
    let numbers = parts.compactMap { Int($0) }
    if isGeometry && parts.count == 2 && !text.contains("+") { return PixelSize(reading: text).map(Cut.size) }
    guard parts.count == 4, numbers.count == 4 else { return nil }
    let (x, y, width, height) =
      isGeometry ? (numbers[2], numbers[3], numbers[0], numbers[1]) : (numbers[0], numbers[1], numbers[2], numbers[3])
    return width > 0 && height > 0 ? .rect(PixelRect(x: x, y: y, width: width, height: height)) : nil
  }
}
