import EaselCore
import EaselPixels

/// A description of a picture's pixels, in the terms of image servers, that makes one pipeline.
///
/// The properties can be set in any order. The pipeline always has this one: trim, crop, resize, turn, effects,
/// background, bars, padding, watermark. Steps that change nothing are left out, so that recipes that mean the same
/// have the same key.
///
/// ```swift
/// var recipe = PixelRecipe()
/// recipe.crop = .crop(ratioWidth: 1, ratioHeight: 1, gravity: .north)
/// recipe.width = 300
/// recipe.pixelRatio = 2
/// let pipeline = try recipe.pipeline()
/// ```
public struct PixelRecipe: Sendable {
  /// The way a picture is fitted to ``PixelRecipe/width`` and ``PixelRecipe/height`` if it has another ratio.
  public enum Fitting: Hashable, Sendable, CaseIterable {
    /// The whole picture fits inside the size, without bars.
    case fit
    /// The picture covers the size; parts outside it are cut off.
    case fill
    /// The picture covers the size; one that is too small is cut to the ratio of the size.
    case fillDown
    /// The picture gets exactly the size, and is stretched to it.
    case force
    /// The picture covers the size if both are wide or both are upright; else it fits inside.
    case auto
    /// The whole picture fits inside the size, between bars up to it, where the gravity says.
    ///
    /// ``PixelRecipe/bars`` may say otherwise.
    case pad
  }

  /// Bars around a picture that is smaller than ``PixelRecipe/width`` and ``PixelRecipe/height``.
  public enum Bars: Hashable, Sendable {
    /// Bars up to the size; the picture lies between them by gravity.
    case toSize(gravity: TransformerPipeline.Gravity = .center)
    /// Bars up to the ratio of the size, if both sides are given; the picture lies between them by gravity.
    case toRatio(gravity: TransformerPipeline.Gravity = .center)
  }

  /// A trim of borders of one colour.
  public var trim = TransformerPipeline.identity
  /// A crop, in pixels or shares of the original.
  public var crop = TransformerPipeline.identity

  /// The width of the picture after quarter turns; 0 if it follows from the height.
  public var width = 0
  /// The height of the picture after quarter turns; 0 if it follows from the width.
  public var height = 0
  /// The way the picture is fitted to the size.
  public var fitting = Fitting.fit
  /// The part of the turned picture that stays where the size cuts parts off.
  public var gravity = TransformerPipeline.Gravity.center
  /// True if a picture smaller than the size is enlarged to it.
  public var enlarges = false
  /// The least width of the resized picture, which is enlarged to it in any case; 0 for none.
  ///
  /// What then sticks out of the size is cut off.
  public var minimumWidth = 0
  /// The least height of the resized picture, which is enlarged to it in any case; 0 for none.
  public var minimumHeight = 0
  /// The factor by which the width is multiplied after fitting, above 0 and at most 1000.
  public var zoomX = 1.0
  /// The factor by which the height is multiplied after fitting, above 0 and at most 1000.
  public var zoomY = 1.0
  /// The pixels of the screen for each pixel of the recipe, above 0 and at most 8.
  ///
  /// It multiplies sizes, paddings, and the insets of gravities and watermarks, but not what the crop and the effects
  /// say. Without a width and a height it multiplies the zoom. A picture that covers the size, but has too few pixels for
  /// this ratio, gets as many as it has and keeps the shape that it has at a ratio of 1.
  public var pixelRatio = 1.0
  /// True if a stretched picture keeps a side that is not given, which otherwise follows from the other one.
  package var keepsFreeSide = false
  /// The most pixels of a side of the result, watermarks aside; 0 for no limit.
  ///
  /// A picture that would have a longer side is made smaller, with everything that the pixel ratio multiplies.
  package var mostSide = 0
  /// The filter that weights pixels.
  public var filter = Bitmap.ResampleFilter.lanczos3
  /// The care with which pixels become fewer: what is averaged, and of how much of the picture.
  public var fidelity = TransformerPipeline.Fidelity.faithful

  /// Rotations and flips.
  ///
  /// Sizes and gravities are those after quarter turns and flips, but a crop is one of the original. At other angles the
  /// picture is turned after it was resized, so it becomes larger.
  public var turn = TransformerPipeline.identity
  /// Any transformers that change the look.
  public var effects = TransformerPipeline.identity

  /// The colour behind the picture and of bars and padding, nil for none.
  public var background: PixelColor?
  /// Bars around a picture that is smaller than the size, nil for those of the fitting.
  public var bars: Bars?
  /// The border around everything but the watermark.
  public var padding = TransformerPipeline.Insets()
  /// One or more watermarks.
  public var watermark = TransformerPipeline.identity

  /// Creates a recipe that changes nothing.
  public init() {}

  /// The pipeline of the recipe.
  ///
  /// A number that makes no sense is an error, and so is a transformer in the wrong place, such as a blur in `crop`.
  public func pipeline() throws(ImageError) -> TransformerPipeline {
    try checkNumbers()
    try checkPlaces()
    return try bounded.steps()
  }

  private func steps() throws(ImageError) -> TransformerPipeline {
    let turns = QuarterTurns(turn)
    let resize = resize(before: turns)
    var steps = trim.members + crop.members
    if !resize.isTrivial { steps.append(resize) }
    steps += turns?.members ?? turn.members
    steps += effects.members + surroundings + watermark.members.map { Self.scaled($0, by: pixelRatio) }
    for step in steps { try (step as? any BitmapTransformer)?.checkParameters() }
    return TransformerPipeline(steps.filter { ($0 as? any BitmapTransformer)?.isTrivial != true })
  }

  // MARK: Steps

  /// The resize, which comes before the turns, although its size and gravity are those of the turned picture.
  private func resize(before turns: QuarterTurns?) -> Resize {
    let isCut = fitting.mode == .fill && width > 0 && height > 0 && !enlarges
    // Only a cut must know the ratio: for other pictures a larger size means the same.
    let keepsSide = keepsFreeSide && fitting == .force && (width == 0) != (height == 0)
    let ratios = isCut && pixelRatio > 1 ? (size: 1, rule: pixelRatio) : (size: keepsSide ? 1 : pixelRatio, rule: 1)
    var size = PixelSize(
      width: ResizeRule.zoomed(width, by: ratios.size), height: ResizeRule.zoomed(height, by: ratios.size))
    var least = PixelSize(
      width: ResizeRule.zoomed(minimumWidth, by: pixelRatio), height: ResizeRule.zoomed(minimumHeight, by: pixelRatio))
    let ratio = width == 0 && height == 0 || keepsSide ? pixelRatio : 1
    var zoom = (x: zoomX * ratio, y: zoomY * ratio)
    let place = gravity.scaled(by: pixelRatio)
    let gravity = turns?.before(place) ?? place
    if turns?.swapsSides == true {
      (size, least) = (size.transposed, least.transposed)
      zoom = (zoom.y, zoom.x)
    }
    return Resize(
      size, mode: fitting.mode, gravity: gravity, filter: filter, fidelity: fidelity,
      rule: ResizeRule(
        zoomX: zoom.x, zoomY: zoom.y, least: least, enlarges: enlarges, keepsRatio: fitting == .fillDown,
        comparesShapes: fitting == .auto, pixelRatio: ratios.rule, keepsFreeSide: keepsSide,
        most: mostSide == 0 ? 0 : Int(max(1, Double(mostSide) - max(border.width, border.height)))))
  }

  /// The same recipe with a pixel ratio with which no size that it states is longer than ``mostSide``.
  private var bounded: PixelRecipe {
    guard mostSide > 0 else { return self }
    let stated = max(
      Double(finalSide(width, zoomX)) + border.width, Double(finalSide(height, zoomY)) + border.height)
    guard stated > Double(mostSide) else { return self }
    var recipe = self
    // Each of two borders may be rounded up by half a pixel.
    let room = max(border.width, border.height) == 0 ? mostSide : max(1, mostSide - 2)
    recipe.pixelRatio *= Double(room) / stated
    return recipe
  }

  /// The pixels that the padding adds to both sides.
  private var border: (width: Double, height: Double) {
    func sum(_ first: Int, _ second: Int) -> Double {
      Double(first.scaled(by: pixelRatio)) + Double(second.scaled(by: pixelRatio))
    }
    return (sum(padding.left, padding.right), sum(padding.top, padding.bottom))
  }

  /// Background, bars and padding.
  ///
  /// The background comes first, because it then has fewer pixels to fill.
  private var surroundings: [any Transformer] {
    let color = background ?? .clear
    var steps: [any Transformer] = [Background(color)]
    let size = PixelSize(width: finalSide(width, zoomX), height: finalSide(height, zoomY))
    switch bars ?? (fitting == .pad ? .toSize(gravity: gravity) : nil) {
    case .toSize(let gravity) where size.width > 0 || size.height > 0:
      steps.append(Extend(to: .size(size), color: color, gravity: gravity.scaled(by: pixelRatio)))
    case .toRatio(let gravity) where size.width > 0 && size.height > 0:
      let ratio = Ratio.of(Double(size.width), to: Double(size.height))
      steps.append(Extend(to: .ratio(ratio), color: color, gravity: gravity.scaled(by: pixelRatio)))
    default: break
    }
    let widths = [padding.top, padding.left, padding.bottom, padding.right].map { $0.scaled(by: pixelRatio) }
    steps.append(Pad(top: widths[0], left: widths[1], bottom: widths[2], right: widths[3], color: color))
    return steps
  }

  private func finalSide(_ side: Int, _ zoom: Double) -> Int {
    ResizeRule.zoomed(ResizeRule.zoomed(side, by: pixelRatio), by: zoom)
  }

  private static func scaled(_ step: any Transformer, by factor: Double) -> any Transformer {
    if let watermark = step as? Watermark { return watermark.scaled(by: factor) }
    return (step as? Overlay)?.scaled(by: factor) ?? step
  }

  // MARK: Checks

  private func checkNumbers() throws(ImageError) {
    try Self.require(
      pixelRatio > 0 && pixelRatio <= ResizeRule.mostPixelRatio,
      "the pixel ratio must be above 0 and at most 8, but is \(pixelRatio)")
    for zoom in [zoomX, zoomY] {
      try Self.require(
        zoom > 0 && zoom <= ResizeRule.mostZoom, "a zoom must be above 0 and at most 1000, but is \(zoom)")
    }
    for side in [width, height, minimumWidth, minimumHeight] {
      try Self.require(side >= 0, "no side may be negative, but one is \(side)")
    }
    for side in [padding.top, padding.right, padding.bottom, padding.left] {
      try Self.require(side >= 0, "no padding may be negative, but one is \(side)")
    }
  }

  private func checkPlaces() throws(ImageError) {
    try Self.require(trim, "trim", "a trim") { $0 is Trim }
    try Self.require(crop, "crop", "a crop") { $0 is Crop }
    try Self.require(turn, "turn", "a rotation or a flip") { $0 is Rotate || $0 is Flip }
    try Self.require(watermark, "watermark", "a watermark or an overlay") { $0 is Watermark || $0 is Overlay }
  }

  private static func require(
    _ pipeline: TransformerPipeline, _ place: String, _ kind: String, _ belongs: (any Transformer) -> Bool
  ) throws(ImageError) {
    guard let stranger = pipeline.members.first(where: { !belongs($0) }) else { return }
    throw ImageError(
      .transformFailed,
      "PixelRecipe: \(place) takes only \(kind), but has \(stranger.cacheKey). Use effects for others.")
  }

  private static func require(_ condition: Bool, _ rule: @autoclosure () -> String) throws(ImageError) {
    guard condition else { throw ImageError(.transformFailed, "PixelRecipe: \(rule()).") }
  }
}

extension PixelRecipe.Fitting {
  var mode: TransformerPipeline.ResizeMode {
    switch self {
    case .fit, .pad: .fit
    case .force: .force
    case .fill, .fillDown, .auto: .fill
    }
  }
}

/// The former names, of which `fill` now means what `aspectFill` meant; what it meant itself is `force`.
extension PixelRecipe.Fitting {
  /// The former name of the fitting without bars.
  @available(*, deprecated, renamed: "fit", message: "A picture that fits inside, without bars, is fit.")
  public static var inside: Self { .fit }
  /// The former name of the fitting that covers the size.
  @available(*, deprecated, renamed: "fill", message: "A picture that covers the size is fill; stretched it is force.")
  public static var aspectFill: Self { .fill }
  /// The former name of the fitting that cuts small pictures to the ratio.
  @available(*, deprecated, renamed: "fillDown", message: "A small picture that is cut to the ratio is fillDown.")
  public static var aspectFillDown: Self { .fillDown }
  /// The former name of the fitting that goes by the shape.
  @available(*, deprecated, renamed: "auto", message: "A fitting by the shape of the picture is auto.")
  public static var automatic: Self { .auto }
}
