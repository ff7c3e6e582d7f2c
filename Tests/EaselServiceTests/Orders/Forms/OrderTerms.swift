import EaselPixels

@testable import EaselCore
@testable import EaselService
@testable import EaselTransformers

/// An order as text: what it changes, one term each, and nothing that it leaves as it is.
struct OrderTerms {
  /// The source of which nothing is said.
  static let source = "https://host/a.jpg"

  let order: ImageOrder
  /// The names of formats.
  let formats: FormatNames

  /// The terms in a fixed order, divided by blanks; a dash if there is none.
  var text: String {
    let terms = [pixels, file, answer, limits].flatMap { $0 }.compactMap { $0 }
    return terms.isEmpty ? "-" : terms.joined(separator: " ")
  }

  // MARK: The pixels

  private var pixels: [String?] {
    switch order.pixels {
    case .recipe(let recipe, let watermark): Self.terms(of: recipe, watermark)
    case .chain(let links):
      [links.map { Self.terms(of: $0.recipe, $0.watermark).joined(separator: " ") }.joined(separator: " then ")]
    case .steps: ["steps"]
    }
  }

  private static func terms(of recipe: PixelRecipe, _ watermark: WatermarkOrder?) -> [String] {
    var terms: [String?] = [
      recipe.fitting == .fit ? nil : "type=\(name(of: recipe.fitting))", term("width", recipe.width),
      term("height", recipe.height), term("min-width", recipe.minimumWidth), term("min-height", recipe.minimumHeight),
      recipe.enlarges ? "enlarge" : nil,
    ]
    if recipe.zoomX != 1 || recipe.zoomY != 1 { terms.append("zoom=\(text(recipe.zoomX)):\(text(recipe.zoomY))") }
    if recipe.pixelRatio != 1 { terms.append("dpr=\(text(recipe.pixelRatio))") }
    if recipe.gravity != .center { terms.append("gravity=\(recipe.gravity.keyText)") }
    switch recipe.bars {
    case .toSize(let gravity): terms.append("extend=\(gravity.keyText)")
    case .toRatio(let gravity): terms.append("extend-ratio=\(gravity.keyText)")
    case nil: break
    }
    terms += [recipe.crop, recipe.trim].map { $0.isIdentity ? nil : $0.cacheKey }
    let sides = recipe.padding
    if sides != TransformerPipeline.Insets() {
      terms.append("padding=\(sides.top):\(sides.right):\(sides.bottom):\(sides.left)")
    }
    terms.append(turn(of: recipe.turn))
    if !recipe.effects.isIdentity { terms.append(recipe.effects.cacheKey) }
    terms.append(recipe.background.map { "background=\(hexadecimal($0))" })
    terms.append(watermark.map(text(of:)))
    return terms.compactMap { $0 }
  }

  private static func name(of fitting: PixelRecipe.Fitting) -> String {
    fitting == .fillDown ? "fill-down" : "\(fitting)"
  }

  /// Quarter turns clockwise, and then mirrorings.
  private static func turn(of pipeline: TransformerPipeline) -> String? {
    for quarters in 0..<4 {
      for (flips, letters) in [((false, false), ""), ((true, false), "h"), ((false, true), "v"), ((true, true), "hv")] {
        var turn = TransformerPipeline.identity
        if quarters > 0 { turn = turn.then(.rotate(degrees: Double(-90 * quarters))) }
        if flips.0 || flips.1 { turn = turn.then(.flip(horizontal: flips.0, vertical: flips.1)) }
        guard turn.cacheKey == pipeline.cacheKey else { continue }
        let terms = [quarters > 0 ? "rotate=\(90 * quarters)" : nil, letters.isEmpty ? nil : "flip=\(letters)"]
        return terms.contains { $0 != nil } ? terms.compactMap { $0 }.joined(separator: " ") : nil
      }
    }
    return pipeline.cacheKey
  }

  private static func text(of watermark: WatermarkOrder) -> String {
    let place = watermark.gaps.map { "re{\($0.x.keyText),\($0.y.keyText)}" } ?? watermark.gravity.keyText
    let scale = watermark.scale.map { ":\(text($0.x))" } ?? ""
    return "watermark=\(text(watermark.opacity)):\(place)\(scale)"
  }

  // MARK: The file and the answer

  private var file: [String?] {
    let qualities = order.formatQualities.map { "\(formats.name(of: $0.key)):\(Self.percent($0.value))" }.sorted()
    let untouched = order.untouchedFormats.map(formats.name(of:)).sorted()
    return [
      order.format.map { "format=\(formats.name(of: $0))" }, order.quality.map { "quality=\(Self.percent($0))" },
      order.takesSmallest ? "best" : nil, order.scoreTarget.map { "score=\($0)" },
      qualities.isEmpty ? nil : "qualities=\(qualities.joined(separator: ","))",
      order.maxBytes.map { "bytes=\($0)" }, order.keepsMetadata.map { $0 ? "metadata=keep" : "metadata=strip" },
      order.keepsCopyright.map { $0 ? "copyright=keep" : "copyright=strip" }, order.keeps16Bits ? "16-bits" : nil,
      order.appliesOrientation ? nil : "orientation=ignore",
      untouched.isEmpty ? nil : "untouched=\(untouched.joined(separator: ","))",
    ]
  }

  private var answer: [String?] {
    [
      order.answer == .picture ? nil : "\(order.answer)", order.cacheBuster.map { "buster=\($0)" },
      order.expires.map { "expires=\($0)" }, order.fileName.map { "name=\($0)" },
      order.isAttachment ? "attachment" : nil, order.source == Self.source ? nil : "source=\(order.source)",
    ]
  }

  private var limits: [String?] {
    [
      order.limits.sourcePixels.map { "source-pixels=\($0)" }, order.limits.sourceBytes.map { "source-bytes=\($0)" },
      order.limits.frameCount.map { "frames=\($0)" }, order.limits.framePixels.map { "frame-pixels=\($0)" },
      order.limits.resultSide.map { "result-side=\($0)" },
    ]
  }

  // MARK: Values

  private static func term(_ name: String, _ value: Int) -> String? { value == 0 ? nil : "\(name)=\(value)" }
  private static func text(_ value: Double) -> String { KeyText.number(value) }
  private static func percent(_ quality: Double) -> Int { Int((quality * 100).rounded()) }

  private static func hexadecimal(_ color: PixelColor) -> String {
    [color.red, color.green, color.blue].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
