import EaselCore
import EaselPixels
import EaselTestPixels
import EaselTransformers

/// Transformers with random parameters, for rules that hold for all of them.
struct TestTransformers {
  var random: SeededRandom
  let mark: Bitmap

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    mark = try Bitmap.noise(5, 4, .rgba8, seed: seed)
  }

  mutating func all() -> [any Transformer] {
    let pipelines: [TransformerPipeline] = [
      .resize(
        width: int(0...50), height: int(1...50), mode: one(of: TransformerPipeline.ResizeMode.allCases),
        gravity: gravity(),
        filter: one(of: Bitmap.ResampleFilter.allCases), fidelity: one(of: TransformerPipeline.Fidelity.allCases)),
      .crop(x: int(-9...9), y: int(-9...9), width: int(10...30), height: int(10...30)),
      .crop(width: int(0...30), height: int(1...30), gravity: gravity()),
      .crop(width: .share(max(0.01, double(0...1))), height: length(), gravity: gravity()),
      .crop(
        shareX: double(0...0.5), shareY: double(0...0.5), shareWidth: max(0.01, double(0...0.5)),
        shareHeight: max(0.01, double(0...0.5))),
      .crop(ratioWidth: double(0...3) + 0.1, ratioHeight: double(0...3) + 0.1, gravity: gravity()),
      .trim(
        color: .random(using: &random) ? color() : nil, tolerance: double(0...255),
        equalsHorizontally: .random(using: &random), equalsVertically: .random(using: &random)),
      .flip(horizontal: .random(using: &random), vertical: .random(using: &random)),
      .rotate(radians: double(-20...20), fit: .random(using: &random)),
      .rotate(radians: Double(int(-9...9)) * .pi / 2 + double(-1e-10...1e-10), fit: .random(using: &random)),
      .pad(top: int(0...3), left: int(0...3), bottom: int(0...3), right: int(0...3), color: color()),
      .extend(
        ratioWidth: double(0...3) + 0.5, ratioHeight: double(0...3) + 0.5, color: color(), gravity: gravity()),
      .extend(width: int(0...50), height: int(1...50), color: color(), gravity: gravity()), .background(color()),
      .watermark(
        mark, name: one(of: ["logo", "a-b(c),d"]), gravity: gravity(), opacity: double(0...1),
        scale: .random(using: &random) ? double(0...1) : nil),
      .watermark(
        repeating: mark, name: one(of: ["märk", "%41"]), gapX: gap(), gapY: gap(), gravity: gravity(),
        opacity: double(0...1), scale: .random(using: &random) ? double(0...1) : nil),
      .roundCorners(
        double(0...20), corners: TransformerPipeline.Corners(rawValue: int(0...15)), borderWidth: double(0...3),
        borderColor: .random(using: &random) ? color() : nil),
      .tint(color(), mode: one(of: Bitmap.BlendMode.allCases)), .blur(double(0...30)),
      .sharpen(double(0...3), radius: double(0...3)),
      .convolution(
        (0..<one(of: [1, 3])).map { _ in (0..<3).map { _ in Double(int(-4...4)) } }, normalizes: .random(using: &random)
      ),
      .layers([
        .init(
          .blur(double(0...9)), gravity: gravity(), opacity: double(0...1), mode: one(of: Bitmap.BlendMode.allCases)),
        .init(
          mark, name: one(of: ["logo", "a-b(c),d", "märk", "%41"]), one(of: [.identity, .grayscale.then(.pad(1))]),
          gravity: gravity(), opacity: double(0...1), mode: one(of: Bitmap.BlendMode.allCases)),
      ]),
      .grayscale(double(0...1)), .sepia(double(0...1)), .brightness(double(0...3)), .contrast(double(0...3)),
      .saturation(double(0...3)), .invert(double(0...1)),
      .duotone(shadows: color(), highlights: color(), amount: double(0...1)), .pixelate(int(1...50)),
      .colorMatrix(Bitmap.ColorMatrix(rows: (0..<4).map { _ in (0..<5).map { _ in double(-1...1) } })),
      .overlay(
        mark, name: one(of: ["logo", "a-b(c),d", "märk", "%41"]),
        anchor: one(of: TransformerPipeline.OverlayAnchor.allCases), insetX: int(-3...3), insetY: int(-3...3),
        opacity: double(0...1), mode: one(of: Bitmap.BlendMode.allCases)),
    ]
    return (pipelines + [try! ruledResize()]).flatMap(\.members)
  }

  /// A resize by a rule, which has no dot syntax of its own.
  private mutating func ruledResize() throws -> TransformerPipeline {
    var recipe = PixelRecipe()
    (recipe.width, recipe.height) = (int(0...50), int(1...50))
    recipe.fitting = one(of: PixelRecipe.Fitting.allCases)
    recipe.gravity = gravity()
    recipe.enlarges = .random(using: &random)
    (recipe.minimumWidth, recipe.minimumHeight) = (int(0...30), int(0...1) * int(0...30))
    (recipe.zoomX, recipe.zoomY) = (one(of: [1, 0.5, 1.7]), one(of: [1, 2, 1.3]))
    return try recipe.pipeline()
  }

  private mutating func gap() -> TransformerPipeline.Length {
    .random(using: &random) ? .pixels(int(0...9)) : .share(double(0...1))
  }

  private mutating func int(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &random) }

  /// A short or long decimal number, a tiny or a whole one.
  private mutating func double(_ range: ClosedRange<Double>) -> Double {
    let value = Double.random(in: range, using: &random)
    switch int(0...3) {
    case 0: return value.rounded(.towardZero)
    case 1: return (value * 100).rounded(.towardZero) / 100
    case 2: return value / 1e7
    default: return value
    }
  }

  private mutating func gravity() -> TransformerPipeline.Gravity {
    let place = one(of: [
      TransformerPipeline.Gravity.center, .north, .northEast, .east, .southEast, .south, .southWest, .west, .northWest,
      .focalPoint(x: double(0...1), y: double(0...1)), .smart,
    ])
    return .random(using: &random) ? place : place.inset(x: length(-1), y: length(-1))
  }

  private mutating func length(_ least: Int = 0) -> TransformerPipeline.Length {
    .random(using: &random)
      ? .pixels(int(20 * least...20)) : .share(max(least == 0 ? 0.01 : -1, double(Double(least)...1)))
  }

  private mutating func color() -> PixelColor {
    PixelColor(
      red: UInt8(int(0...255)), green: UInt8(int(0...255)), blue: UInt8(int(0...255)), alpha: UInt8(int(0...255)))
  }

  private mutating func one<Element>(of elements: [Element]) -> Element { elements.randomElement(using: &random)! }
}

extension Transformer {
  /// Runs the transformer on a bitmap without metadata.
  func run(_ bitmap: Bitmap, limits: Limits = Limits()) throws -> Bitmap {
    try transform(Image(bitmap), work: WorkContext(limits: limits)).bitmap
  }
}
