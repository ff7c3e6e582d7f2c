import Easel

/// The options that change a picture, applied in the order given.
enum TransformerOptions {
  enum Mode: String, CaseIterable {
    case fill, fit, cover

    var resizeMode: TransformerPipeline.ResizeMode {
      switch self {
      case .fill: .fill
      case .fit: .aspectFit
      case .cover: .aspectFill
      }
    }
  }

  struct Turn: Sendable {
    let horizontal: Bool
    let vertical: Bool
  }

  enum Cut: Sendable {
    case rect(PixelRect)
    case size(PixelSize)
  }

  static let resize = CommonOptions.size(
    "resize", "Give the picture this size. A side of 0 is computed from the other.")
  static let mode = Option<Mode>.choice(
    "mode", "MODE",
    "What --resize does if the ratio of the sides changes: fill stretches the picture, fit adds transparent bars, and "
      + "cover cuts off what does not fit. The default is fill.")
  static let gravity = Option<TransformerPipeline.Gravity>(
    OptionDescription(
      name: "gravity", placeholder: "PLACE",
      expectation: "a point of the compass such as north-east, center, or X,Y from 0 to 1",
      help:
        "The part that a cut by size or ratio keeps, or the place of the picture between bars: a point of the compass, "
        + "or X,Y from 0 to 1 for a focal point. The default is center.",
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
      help: "Repeat the transformers and decode options that the suffix of a cache key names.", mayRepeat: true)
  ) { $0 }

  static let all = [
    resize.description, mode.description, gravity.description, crop.description, cropRatio.description,
    extendRatio.description, trim.description, rotate.description, flip.description, round.description,
    blur.description, pixelate.description, grayscale.description, duotone.description, transform.description,
  ]

  /// The pipeline that the options describe, in order; a replayed key may also set decode options.
  static func pipeline(
    _ arguments: Arguments, _ decodeOptions: inout DecodeOptions
  ) throws(UsageError) -> TransformerPipeline {
    let mode = try arguments.value(mode) ?? .fill
    guard arguments.options.contains(where: { $0.name == resize.description.name }) || mode == .fill else {
      throw UsageError("--mode says how --resize works, so it needs --resize.")
    }
    let placed = [
      resize.description.name, crop.description.name, cropRatio.description.name, extendRatio.description.name,
    ]
    let place = try arguments.value(gravity)
    guard place == nil || arguments.options.contains(where: { placed.contains($0.name) }) else {
      throw UsageError(
        "--gravity says what a cut keeps or where bars go, and there is no --resize, --crop, --crop-ratio or "
          + "--extend-ratio.")
    }
    var pipeline = TransformerPipeline.identity
    for given in arguments.options {
      if let next = try step(given, mode, place ?? .center, &decodeOptions) { pipeline = pipeline.then(next) }
    }
    return pipeline
  }

  private static func step(
    _ given: Arguments.Given, _ mode: Mode, _ gravity: TransformerPipeline.Gravity, _ decodeOptions: inout DecodeOptions
  ) throws(UsageError) -> TransformerPipeline? {
    switch given.name {
    case resize.description.name:
      let size = try resize.value(of: given)
      return .resize(width: size.width, height: size.height, mode: mode.resizeMode, gravity: gravity)
    case crop.description.name:
      switch try crop.value(of: given) {
      case .rect(let rect): return .crop(rect)
      case .size(let size): return .crop(width: size.width, height: size.height, gravity: gravity)
      }
    case cropRatio.description.name:
      let ratio = try cropRatio.value(of: given)
      return .crop(ratioWidth: ratio.width, ratioHeight: ratio.height, gravity: gravity)
    case extendRatio.description.name:
      let ratio = try extendRatio.value(of: given)
      return .extend(ratioWidth: ratio.width, ratioHeight: ratio.height, gravity: gravity)
    case trim.description.name: return .trim(tolerance: try trim.value(of: given))
    case rotate.description.name: return .rotate(degrees: try rotate.value(of: given))
    case flip.description.name:
      let turn = try flip.value(of: given)
      return .flip(horizontal: turn.horizontal, vertical: turn.vertical)
    case round.description.name: return .roundCorners(try round.value(of: given))
    case blur.description.name: return .blur(try blur.value(of: given))
    case pixelate.description.name: return .pixelate(try pixelate.value(of: given))
    case grayscale.description.name: return .grayscale
    case duotone.description.name:
      let tones = try duotone.value(of: given)
      return .duotone(shadows: tones.shadows, highlights: tones.highlights)
    case transform.description.name: return try KeyReplay.read(given.value, &decodeOptions)
    default: return nil
    }
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
