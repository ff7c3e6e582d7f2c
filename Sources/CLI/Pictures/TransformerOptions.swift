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

  static let resize = CommonOptions.size(
    "resize", "Give the picture this size. A side of 0 is computed from the other.")
  static let mode = Option<Mode>.choice(
    "mode", "MODE",
    "What --resize does if the ratio of the sides changes: fill stretches the picture, fit adds transparent bars, and "
      + "cover cuts off what does not fit. The default is fill.")
  static let crop = Option<PixelRect>(
    OptionDescription(
      name: "crop", placeholder: "X,Y,W,H", expectation: "a rectangle such as 10,20,300,200 or 300x200+10+20",
      help: "Cut out W by H pixels, X from the left and Y from the top.")
  ) { rectangle($0) }
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
  static let transform = Option<String>(
    OptionDescription(
      name: "transform", placeholder: "KEY",
      expectation: "the suffix of a cache key, such as 'Resize({320,240},1)-Blur(2)'",
      help: "Repeat the transformers and decode options that the suffix of a cache key names.", mayRepeat: true)
  ) { $0 }

  static let all = [
    resize.description, mode.description, crop.description, rotate.description, flip.description, round.description,
    blur.description, grayscale.description, transform.description,
  ]

  /// The pipeline that the options describe, in order; a replayed key may also set decode options.
  static func pipeline(
    _ arguments: Arguments, _ decodeOptions: inout DecodeOptions
  ) throws(UsageError) -> TransformerPipeline {
    let mode = try arguments.value(mode) ?? .fill
    guard arguments.options.contains(where: { $0.name == resize.description.name }) || mode == .fill else {
      throw UsageError("--mode says how --resize works, so it needs --resize.")
    }
    var pipeline = TransformerPipeline.identity
    for given in arguments.options {
      if let next = try step(given, mode, &decodeOptions) { pipeline = pipeline.then(next) }
    }
    return pipeline
  }

  private static func step(
    _ given: Arguments.Given, _ mode: Mode, _ decodeOptions: inout DecodeOptions
  ) throws(UsageError) -> TransformerPipeline? {
    switch given.name {
    case resize.description.name:
      let size = try resize.value(of: given)
      return .resize(width: size.width, height: size.height, mode: mode.resizeMode)
    case crop.description.name: return .crop(try crop.value(of: given))
    case rotate.description.name: return .rotate(degrees: try rotate.value(of: given))
    case flip.description.name:
      let turn = try flip.value(of: given)
      return .flip(horizontal: turn.horizontal, vertical: turn.vertical)
    case round.description.name: return .roundCorners(try round.value(of: given))
    case blur.description.name: return .blur(try blur.value(of: given))
    case grayscale.description.name: return .grayscale
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

  /// Reads `X,Y,W,H` and `WxH+X+Y`.
  private static func rectangle(_ text: String) -> PixelRect? {
    let isGeometry = text.contains("x")
    let parts = text.split(omittingEmptySubsequences: false) { isGeometry ? $0 == "x" || $0 == "+" : $0 == "," }
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == 4, numbers.count == 4 else { return nil }
    let (x, y, width, height) =
      isGeometry ? (numbers[2], numbers[3], numbers[0], numbers[1]) : (numbers[0], numbers[1], numbers[2], numbers[3])
    return width > 0 && height > 0 ? PixelRect(x: x, y: y, width: width, height: height) : nil
  }
}
