import EaselEverything

/// The options that draw a text.
enum TextOptions {
  /// A number with a colour after a comma, which may be left out.
  struct Line: Sendable {
    let number: Double
    let color: PixelColor

    /// Reads `NUMBER` or `NUMBER,COLOR`; the colour is black unless another one is given.
    init?(reading text: String) {
      let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let number = Double(plain: parts[0]), number >= 0, number <= 100,
        let color = parts.count == 1 ? PixelColor.black : PixelColor(reading: parts[1])
      else { return nil }
      (self.number, self.color) = (number, color)
    }
  }

  static let text = Option<String>.text(
    "text", "TEXT", "Draw this text over the picture, with the fonts of the system.")
  static let font = Option<String>.text(
    "text-font", "FAMILY", "The family of the text's letters, with others after commas. The default is sans-serif.")
  static let size = Option<Double>.number(
    "text-size", "PIXELS", in: 1...1000, "a size from 1 to 1000", "The size of the text's letters. The default is 32.")
  static let weight = Option<Int>.integer(
    "text-weight", "WEIGHT", in: 100...1000,
    "The weight of the text's letters: 400, the default, is usual and 700 bold.")
  static let color = Option<PixelColor>(
    OptionDescription(
      name: "text-color", placeholder: "COLOR", expectation: "a colour such as white, black or #ff8800",
      help: "The colour of the text. The default is white.", completion: .words(["white", "black"]))
  ) { PixelColor(reading: $0) }
  static let outline = Option<Line>(
    OptionDescription(
      name: "text-outline", placeholder: "WIDTH,COLOR", expectation: "a width such as 2, or with a colour 2,#ff8800",
      help: "Draw a line of this width around the letters, in black unless a colour follows.")
  ) { Line(reading: $0) }
  static let shadow = Option<Line>(
    OptionDescription(
      name: "text-shadow", placeholder: "BLUR,COLOR", expectation: "a blur such as 2, or with a colour 2,#80000000",
      help: "Put a shadow with this blur under the text, in black unless a colour follows.")
  ) { Line(reading: $0) }
  static let width = Option<Double>.number(
    "text-width", "SHARE", in: 0.001...1, "a share from 0.001 to 1",
    "Break lines at this share of the picture's width. The default is 1.")
  static let alignment = Option<TextStyle.Alignment>(
    OptionDescription(
      name: "text-align", placeholder: "SIDE", expectation: "start, center, end or justified",
      help: "The place of lines that are shorter than others. The default is start.",
      completion: .words(alignments.map(\.name)))
  ) { name in alignments.first { $0.name == name }?.alignment }
  static let place = Option<TransformerPipeline.Gravity>(
    OptionDescription(
      name: "text-place", placeholder: "PLACE",
      expectation: "a point of the compass such as north-east, center, or X,Y from 0 to 1",
      help: "The place of the text: a point of the compass, or X,Y from 0 to 1. The default is south-east.",
      completion: .words(TransformerPipeline.Gravity.named.map(\.name).filter { $0 != "smart" }))
  ) { $0 == "smart" ? nil : TransformerPipeline.Gravity(reading: $0) }
  static let offset = Option<WatermarkOptions.Offset>(
    OptionDescription(
      name: "text-offset", placeholder: "X,Y", expectation: "two distances in pixels such as 10,10",
      help: "The distance of the text from the edges that its place names.")
  ) { WatermarkOptions.Offset(reading: $0) }

  private static let alignments: [(name: String, alignment: TextStyle.Alignment)] = [
    ("start", .start), ("center", .center), ("end", .end), ("justified", .justified),
  ]

  static let all = [
    text.description, font.description, size.description, weight.description, color.description, outline.description,
    shadow.description, width.description, alignment.description, place.description, offset.description,
  ]

  /// The pipeline that draws the text.
  static func pipeline(
    _ text: String, _ arguments: Arguments, pixelRatio: Double
  ) throws(UsageError) -> TransformerPipeline {
    guard !text.isEmpty else { throw UsageError("--text is empty. Say what is to be drawn, or leave the option out.") }
    var style = TextStyle(
      family: try arguments.value(font) ?? "sans-serif", size: (try arguments.value(size) ?? 32) * pixelRatio,
      weight: try arguments.value(weight) ?? 400, color: try arguments.value(color) ?? .white)
    if let line = try arguments.value(outline) {
      style.outline = TextStyle.Outline(width: line.number * pixelRatio, color: line.color)
    }
    if let line = try arguments.value(shadow) {
      style.shadow = TextStyle.Shadow(
        y: Int((line.number * pixelRatio).rounded()), blur: line.number * pixelRatio, color: line.color)
    }
    style.alignment = try arguments.value(alignment) ?? .start
    var gravity = try arguments.value(place) ?? .southEast
    if let offset = try arguments.value(offset) {
      gravity = gravity.inset(
        x: SizeOptions.scaled(offset.x, by: pixelRatio), y: SizeOptions.scaled(offset.y, by: pixelRatio))
    }
    return .text(text, style: style, width: .share(try arguments.value(width) ?? 1), gravity: gravity)
  }

  /// Refuses options for a text if no text is given.
  static func check(_ arguments: Arguments) throws(UsageError) {
    guard !arguments.options.contains(where: { $0.name == text.description.name }) else { return }
    for option in all where arguments.options.contains(where: { $0.name == option.name }) {
      throw UsageError("--\(option.name) says how the text is drawn, so it needs --text TEXT.")
    }
  }
}
