import Easel

/// The options that draw a watermark.
enum WatermarkOptions {
  struct Offset: Sendable {
    let x: Int
    let y: Int

    /// Reads `X,Y`.
    init?(reading text: String) {
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 2, let x = numbers[0], let y = numbers[1], max(x.magnitude, y.magnitude) <= 1_000_000
      else {
        return nil
      }
      (self.x, self.y) = (x, y)
    }
  }

  static let file = Option<String>.text(
    "watermark", "FILE", "Draw the picture in this file over the picture.", completion: .files)
  static let place = Option<TransformerPipeline.Gravity>(
    OptionDescription(
      name: "watermark-place", placeholder: "PLACE",
      expectation: "a point of the compass such as north-east, center, or X,Y from 0 to 1",
      help: "The place of the watermark: a point of the compass, or X,Y from 0 to 1. The default is south-east.",
      completion: .words(TransformerPipeline.Gravity.named.map(\.name).filter { $0 != "smart" }))
  ) { $0 == "smart" ? nil : TransformerPipeline.Gravity(reading: $0) }
  static let offset = Option<Offset>(
    OptionDescription(
      name: "watermark-offset", placeholder: "X,Y", expectation: "two distances in pixels such as 10,10",
      help: "The distance of the watermark from the edges that its place names.")
  ) { Offset(reading: $0) }
  static let scale = Option<Double>.number(
    "watermark-scale", "SHARE", in: 0.001...1, "a share from 0.001 to 1",
    "Fit the watermark into this share of the picture's sides. By default it keeps its size.")
  static let opacity = Option<Double>.number(
    "watermark-opacity", "OPACITY", in: 0...1, "an opacity from 0 to 1", "The opacity of the watermark.")
  static let gap = Option<Int>.integer(
    "watermark-repeat", "GAP", in: 0...1_000_000,
    "Repeat the watermark all over the picture, with gaps of this many pixels.")

  static let all = [
    file.description, place.description, offset.description, scale.description, opacity.description, gap.description,
  ]

  /// The pipeline that draws the watermark from a file.
  static func pipeline(
    _ path: String, _ arguments: Arguments, pixelRatio: Double
  ) throws(UsageError) -> TransformerPipeline {
    let picture: Bitmap
    do {
      let bytes = try ImageBytes(contentsOfFile: path)
      picture = try CoderRegistry.programWithoutSandbox.decode(bytes, options: DecodeOptions(), work: WorkContext())
        .bitmap
    } catch {
      throw UsageError("--watermark: '\(printable(path))' cannot be read: \(printable("\(error)"))")
    }
    var gravity = try arguments.value(place) ?? .southEast
    if let offset = try arguments.value(offset) {
      gravity = gravity.inset(
        x: SizeOptions.scaled(offset.x, by: pixelRatio), y: SizeOptions.scaled(offset.y, by: pixelRatio))
    }
    let opacity = try arguments.value(opacity) ?? 1
    let scale = try arguments.value(scale)
    guard let gap = try arguments.value(gap) else {
      return .watermark(picture, name: path, gravity: gravity, opacity: opacity, scale: scale)
    }
    let space = SizeOptions.scaled(gap, by: pixelRatio)
    return .watermark(
      repeating: picture, name: path, gapX: .pixels(space), gapY: .pixels(space), gravity: gravity, opacity: opacity,
      scale: scale)
  }

  /// Refuses options for a watermark if no watermark is given.
  static func check(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.options.contains(where: { $0.name == file.description.name }) else { return }
    for option in all where arguments.options.contains(where: { $0.name == option.name }) {
      throw UsageError("--\(option.name) says how the watermark is drawn, so it needs --watermark FILE.")
    }
  }
}
