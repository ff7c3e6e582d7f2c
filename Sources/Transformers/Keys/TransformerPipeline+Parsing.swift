import EaselCore
import EaselPixels

extension TransformerPipeline {
  /// Creates the pipeline that a key describes, such as `Resize({320,240},1)-Flip(1,0)`.
  ///
  /// The pipeline's key equals the text if the text is in key form. `overlays` gives overlaid pictures by name. An
  /// invalid text throws an error with the position and the expected text; an empty text is the identity.
  ///
  /// ```swift
  /// let pipeline = try TransformerPipeline(parsing: "Resize({320,0},0)-Blur(2)")
  /// ```
  public init(parsing text: String, overlays: [String: Bitmap] = [:]) throws(ImageError) {
    var reader = KeyReader(text)
    var transformers: [any Transformer] = []
    while !reader.isAtEnd {
      if !transformers.isEmpty { try reader.expect("-") }
      transformers.append(try reader.transformer(overlays: overlays))
    }
    self.init(transformers)
  }
}

extension KeyReader {
  /// The transformers that draw given pictures.
  private static let drawing = ["Layers", "Overlay", "Watermark"]

  mutating func transformer(overlays: [String: Bitmap]) throws(ImageError) -> any Transformer {
    let start = position
    let name = try name()
    if let read = Self.readers[name] { return try inParentheses(read) }
    guard Self.drawing.contains(name) else {
      throw expected("one of \((Self.readers.keys + Self.drawing).sorted().joined(separator: ", "))", at: start)
    }
    return try inParentheses { reader throws(ImageError) in
      switch name {
      case "Layers": try reader.layers(overlays)
      case "Overlay": try reader.overlay(overlays)
      default: try reader.watermark(overlays)
      }
    }
  }

  private mutating func inParentheses(
    _ read: (inout KeyReader) throws(ImageError) -> any Transformer
  ) throws(ImageError) -> any Transformer {
    try expect("(")
    let transformer = try read(&self)
    try expect(")")
    return transformer
  }

  private typealias Reader = @Sendable (inout KeyReader) throws(ImageError) -> any Transformer

  private static let readers: [String: Reader] = [
    "Resize": { reader throws(ImageError) in try reader.resize() },
    "Crop": { reader throws(ImageError) in
      let values = try reader.list(of: 4)
      return Crop(PixelRect(x: values[0], y: values[1], width: values[2], height: values[3]))
    },
    "CropSize": { reader throws(ImageError) in
      let (width, height) = try reader.lengths()
      try reader.expect(",")
      return Crop(.size(width, height, try reader.gravity()))
    },
    "CropShare": { reader throws(ImageError) in
      let shares = try reader.numbers(count: 4)
      return Crop(.shares(x: shares[0], y: shares[1], width: shares[2], height: shares[3]))
    },
    "CropShape": { reader throws(ImageError) in
      let (width, height) = try reader.lengths()
      try reader.expect(",")
      let ratio = try reader.number()
      try reader.expect(",")
      let enlarges = try reader.boolean()
      try reader.expect(",")
      return Crop(.shape(width, height, ratio: ratio, enlarges: enlarges, try reader.gravity()))
    },
    "CropRatio": { reader throws(ImageError) in
      let ratio = try reader.number()
      try reader.expect(",")
      return Crop(.ratio(ratio, try reader.gravity()))
    },
    "Trim": { reader throws(ImageError) in
      let tolerance = try reader.number()
      try reader.expect(",")
      let color = reader.skip("-") ? nil : try reader.color()
      try reader.expect(",")
      let horizontally = try reader.boolean()
      try reader.expect(",")
      let vertically = try reader.boolean()
      return Trim(
        color: color, tolerance: tolerance, equalsHorizontally: horizontally, equalsVertically: vertically,
        transparency: reader.skip(",") ? try reader.color() : nil)
    },
    "Flip": { reader throws(ImageError) in
      let horizontal = try reader.boolean()
      try reader.expect(",")
      return Flip(horizontal: horizontal, vertical: try reader.boolean())
    },
    "Rotate": { reader throws(ImageError) in
      let radians = try reader.number()
      try reader.expect(",")
      return Rotate(radians: radians, fit: try reader.boolean())
    },
    "Pad": { reader throws(ImageError) in
      let sides = try reader.list(of: 4)
      try reader.expect(",")
      return Pad(top: sides[0], left: sides[1], bottom: sides[2], right: sides[3], color: try reader.color())
    },
    "ExtendRatio": { reader throws(ImageError) in
      let ratio = try reader.number()
      try reader.expect(",")
      let color = try reader.color()
      try reader.expect(",")
      return Extend(to: .ratio(ratio), color: color, gravity: try reader.gravity())
    },
    "Extend": { reader throws(ImageError) in
      let sides = try reader.list(of: 2)
      try reader.expect(",")
      let color = try reader.color()
      try reader.expect(",")
      return Extend(
        to: .size(PixelSize(width: sides[0], height: sides[1])), color: color, gravity: try reader.gravity())
    },
    "Background": { reader throws(ImageError) in Background(try reader.color()) },
    "RoundCorners": { reader throws(ImageError) in try reader.roundCorners() },
    "Tint": { reader throws(ImageError) in
      let color = try reader.color()
      try reader.expect(",")
      return Tint(color, mode: try reader.choice(Bitmap.BlendMode.self, "a blend mode"))
    },
    "Blur": { reader throws(ImageError) in Blur(try reader.number()) },
    "Sharpen": { reader throws(ImageError) in
      let amount = try reader.number()
      try reader.expect(",")
      return Sharpen(amount, radius: try reader.number())
    },
    "Convolution": { reader throws(ImageError) in
      let columns = try reader.integer()
      try reader.expect(",")
      let divisor = try reader.number()
      try reader.expect(",")
      return Convolution(try reader.numbers(), columns: columns, divisor: divisor)
    },
    "Grayscale": { reader throws(ImageError) in Grayscale(try reader.number()) },
    "Sepia": { reader throws(ImageError) in Sepia(try reader.number()) },
    "Brightness": { reader throws(ImageError) in Brightness(try reader.number()) },
    "Contrast": { reader throws(ImageError) in Contrast(try reader.number()) },
    "Saturation": { reader throws(ImageError) in Saturation(try reader.number()) },
    "Invert": { reader throws(ImageError) in Invert(try reader.number()) },
    "Duotone": { reader throws(ImageError) in
      let shadows = try reader.color()
      try reader.expect(",")
      let highlights = try reader.color()
      try reader.expect(",")
      return Duotone(shadows: shadows, highlights: highlights, amount: try reader.number())
    },
    "Pixelate": { reader throws(ImageError) in Pixelate(try reader.integer()) },
    "ColorMatrix": { reader throws(ImageError) in try reader.colorMatrix() },
  ]

  private mutating func resize() throws(ImageError) -> any Transformer {
    let sides = try list(of: 2)
    try expect(",")
    let mode = try choice(TransformerPipeline.ResizeMode.self, "a mode")
    var filter = Bitmap.ResampleFilter.lanczos3
    var fidelity = TransformerPipeline.Fidelity.fast
    var gravity = TransformerPipeline.Gravity.center
    var hasMore = skip(",")
    if hasMore && !isAtLetter {
      filter = try choice(Bitmap.ResampleFilter.self, "a filter")
      hasMore = skip(",")
      if hasMore && !isAtLetter {
        fidelity = try choice(TransformerPipeline.Fidelity.self, "a fidelity")
        hasMore = skip(",")
      }
    }
    var rule = ResizeRule()
    if hasMore, try !readPart(of: &rule) { gravity = try self.gravity() }
    while skip(","), try readPart(of: &rule, orGoBack: 1) {}
    return Resize(
      PixelSize(width: sides[0], height: sides[1]), mode: mode, gravity: gravity, filter: filter,
      fidelity: fidelity, rule: rule)
  }

  /// Reads a word of a rule; returns false, and goes back, if there is none.
  private mutating func readPart(of rule: inout ResizeRule, orGoBack count: Int = 0) throws(ImageError) -> Bool {
    if skip(word: "zoom") {
      let factors = try numbers(count: 2)
      (rule.zoomX, rule.zoomY) = (factors[0], factors[1])
    } else if skip(word: "least") {
      let sides = try list(of: 2)
      rule.least = PixelSize(width: sides[0], height: sides[1])
    } else if skip(word: "shrink") {
      rule.enlarges = false
    } else if skip(word: "ratio") {
      rule.keepsRatio = true
    } else if skip(word: "auto") {
      rule.comparesShapes = true
    } else if skip(word: "dpr") {
      rule.pixelRatio = try numbers(count: 1)[0]
    } else if skip(word: "keep") {
      rule.keepsFreeSide = true
    } else if skip(word: "most") {
      rule.most = try list(of: 1)[0]
    } else {
      goBack(count)
      return false
    }
    return true
  }

  private mutating func roundCorners() throws(ImageError) -> any Transformer {
    let radius = try number()
    try expect(",")
    let start = position
    let corners = try integer()
    guard (0...15).contains(corners) else { throw expected("corners as a number from 0 to 15", at: start) }
    try expect(",")
    let width = try number()
    try expect(",")
    let color = skip("-") ? nil : try color()
    return RoundCorners(
      radius, corners: TransformerPipeline.Corners(rawValue: corners), borderWidth: width, borderColor: color)
  }

  private mutating func colorMatrix() throws(ImageError) -> any Transformer {
    var numbers = [try number()]
    while numbers.count < 20 {
      try expect(",")
      numbers.append(try number())
    }
    return MixColors(Bitmap.ColorMatrix(rows: stride(from: 0, to: 20, by: 5).map { Array(numbers[$0..<$0 + 5]) }))
  }

  mutating func picture(
    _ overlays: [String: Bitmap]
  ) throws(ImageError) -> (name: String, picture: Bitmap) {
    let start = position
    let name = try escapedName()
    guard let picture = overlays[name] else {
      throw expected("the name of one of the given overlays", at: start)
    }
    try expect(",")
    return (name, picture)
  }

  private mutating func watermark(_ overlays: [String: Bitmap]) throws(ImageError) -> any Transformer {
    let (name, picture) = try picture(overlays)
    let gravity = try gravity()
    try expect(",")
    let opacity = try number()
    try expect(",")
    let scales = isAtBrace ? try numbers(count: 2) : [try number()]
    let gaps = skip(",") ? try lengths() : nil
    return Watermark(
      name: name, picture: WatermarkImage(picture), gravity: gravity, opacity: opacity, scaleX: scales[0],
      scaleY: scales[scales.count - 1], gaps: gaps.map { Watermark.Gaps(x: $0.0, y: $0.1) })
  }

  private mutating func overlay(_ overlays: [String: Bitmap]) throws(ImageError) -> any Transformer {
    let (name, picture) = try picture(overlays)
    let anchor = try choice(TransformerPipeline.OverlayAnchor.self, "an anchor")
    try expect(",")
    let insets = try list(of: 2)
    try expect(",")
    let opacity = try number()
    try expect(",")
    return Overlay(
      name: name, picture: picture, anchor: anchor, insetX: insets[0], insetY: insets[1], opacity: opacity,
      mode: try choice(Bitmap.BlendMode.self, "a blend mode"))
  }
}
