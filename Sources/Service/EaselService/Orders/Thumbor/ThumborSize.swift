import EaselCore
import EaselTransformers

/// The size that a URL asks for, and how a picture of another shape is fitted to it.
struct ThumborSize: Hashable, Sendable {
  enum Side: Hashable, Sendable {
    /// The side follows from the other one: 0, or nothing.
    case free
    case pixels(Int)
    /// The side of the picture: `orig`.
    case original
  }

  enum Fitting: String, Hashable, Sendable {
    /// The picture covers the size, and what sticks out is cut off.
    case cover
    /// The picture is stretched.
    case stretch
    /// The picture fits inside the size, and is not enlarged: `fit-in`.
    case inside
    /// The picture covers the size, and is not cut: `full-fit-in`.
    case around
  }

  /// The part that stays if the picture is cut.
  struct Alignment: Hashable, Sendable {
    var column = 1
    var row = 1
    var isSmart = false

    /// The gravity of each row and column.
    static let places: [[TransformerPipeline.Gravity]] = [
      [.northWest, .north, .northEast], [.west, .center, .east], [.southWest, .south, .southEast],
    ]

    var gravity: TransformerPipeline.Gravity { isSmart ? .smart : Self.places[row][column] }
  }

  /// A point in pixels of the picture.
  struct Focus: Hashable, Sendable {
    var x: Double
    var y: Double
  }

  var width = Side.free
  var height = Side.free
  var fitting = Fitting.cover
  /// True to swap width and height if the picture is upright and the size is not, or the other way round.
  var isAdaptive = false
  /// True if a picture that fits inside is enlarged until it touches the size.
  var enlarges = false
  /// True if no side becomes longer than that of the picture.
  var neverEnlarges = false
  var alignment = Alignment()
  /// The most pixels of a side, to which sizes are reduced; 0 for no limit.
  var most = 0
  /// The point that stays near the middle, which comes before the alignment.
  var focus: Focus?

  // MARK: Reading

  static func isFitting(_ text: String) -> Bool {
    ["fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in"].contains(text)
  }

  mutating func setFitting(_ text: String) {
    isAdaptive = text.hasPrefix("adaptive-")
    fitting = text.hasSuffix("full-fit-in") ? .around : .inside
  }

  /// True for `300x200`, `-300x`, `origx-0` and so on.
  static func isSize(_ text: String) -> Bool {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    return sides.count == 2
      && sides.allSatisfy { side in
        let digits = side.hasPrefix("-") ? side.dropFirst() : side
        return digits.isEmpty || digits == "orig" || ThumborNumber.isDigits(digits)
      }
  }

  /// Reads both sides, and returns which of them are negative.
  mutating func setSides(_ text: String) throws(ServiceError) -> (horizontal: Bool, vertical: Bool) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false)
    width = try Self.side(sides[0])
    height = try Self.side(sides[1])
    return (sides[0].hasPrefix("-"), sides[1].hasPrefix("-"))
  }

  private static func side(_ text: Substring) throws(ServiceError) -> Side {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    if digits == "orig" { return .original }
    if digits.isEmpty { return .free }
    guard let value = ThumborNumber.integer(digits, ThumborNumber.sides) else {
      throw ServiceError(
        400, "The size takes sides of up to \(ThumborNumber.sides.upperBound) pixels, not '\(text.prefix(40))'.")
    }
    return value == 0 ? .free : .pixels(value)
  }

  // MARK: The pipeline

  /// The resize: an ordinary one if it does not depend on the picture.
  var pipeline: TransformerPipeline {
    let size = simplified
    guard size.width != .free || size.height != .free else { return size.whole }
    return size.dependsOnPicture ? .custom(ThumborResize(size: size)) : size.resize(of: nil)
  }

  /// The same size without what has no effect, so that sizes that mean the same have one key.
  private var simplified: ThumborSize {
    var size = self
    let hasFreeSide = width == .free || height == .free
    if fitting == .inside || fitting == .around {
      size.alignment = Alignment()
      size.focus = nil
    }
    // The side that is free follows the shape of the picture, so there is nothing to swap, to cut, or to stretch.
    if hasFreeSide {
      (size.alignment, size.focus, size.isAdaptive) = (Alignment(), nil, false)
      if fitting != .inside { size.fitting = .cover }
    }
    if width == height || fitting == .cover || fitting == .stretch { size.isAdaptive = false }
    if size.focus != nil { size.alignment = Alignment() }
    if fitting == .stretch { (size.alignment, size.focus) = (Alignment(), nil) }
    if fitting == .inside {
      size.neverEnlarges = false
      if !size.isAdaptive {
        // The picture is never larger than itself.
        if size.width == .original { size.width = .free }
        if size.height == .original { size.height = .free }
      }
      if size.width == .free || size.height == .free { size.enlarges = false }
    } else {
      size.enlarges = false
      let isWhole = [size.width, size.height].allSatisfy { $0 == .free || $0 == .original }
      if isWhole { (size.width, size.height) = (.free, .free) }
    }
    return size
  }

  /// The whole picture, made smaller if it has longer sides than allowed.
  private var whole: TransformerPipeline {
    most == 0 ? .identity : .resize(within: PixelSize(width: most, height: most))
  }

  /// A resize to one side whose other side is bounded too.
  private func resize(to size: PixelSize, enlarges: Bool) -> TransformerPipeline {
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.enlarges, recipe.mostSide) = (size.width, size.height, enlarges, most)
    return (try? recipe.pipeline()) ?? whole
  }

  private var dependsOnPicture: Bool {
    if isAdaptive || focus != nil || width == .original || height == .original { return true }
    guard width != .free, height != .free else { return false }
    return fitting == .around || fitting == .stretch && neverEnlarges
  }

  /// The resize of a picture; nil if its size does not matter.
  fileprivate func resize(of picture: PixelSize?) -> TransformerPipeline {
    var sides = (width: pixels(width, picture?.width), height: pixels(height, picture?.height))
    if let picture, isAdaptive, Self.hasOtherShape(picture, sides) { sides = (sides.height, sides.width) }
    let box = PixelSize(width: sides.width, height: sides.height)
    let isFree = sides.width == 0 || sides.height == 0
    if fitting == .inside {
      return most > 0 && isFree ? resize(to: box, enlarges: false) : .resize(within: box, enlarges: enlarges)
    }
    guard !isFree else {
      if most > 0 { return resize(to: box, enlarges: !neverEnlarges) }
      return neverEnlarges ? .resize(within: box) : .resize(width: box.width, height: box.height)
    }
    switch fitting {
    case .around:
      guard let picture else { return .identity }
      let isWider = Double(box.width) / Double(picture.width) >= Double(box.height) / Double(picture.height)
      let side = PixelSize(width: isWider ? box.width : 0, height: isWider ? 0 : box.height)
      return most > 0 ? resize(to: side, enlarges: true) : .resize(width: side.width, height: side.height)
    case .stretch: return .resize(width: box.width, height: box.height)
    case .cover, .inside: return cover(box, picture)
    }
  }

  private func cover(_ box: PixelSize, _ picture: PixelSize?) -> TransformerPipeline {
    var gravity = alignment.gravity
    if let focus, let picture {
      gravity = .focalPoint(
        x: min(1, max(0, focus.x / Double(picture.width))), y: min(1, max(0, focus.y / Double(picture.height))))
    }
    guard neverEnlarges, picture == nil else {
      return .resize(width: box.width, height: box.height, mode: .fill, gravity: gravity)
    }
    var recipe = PixelRecipe()
    (recipe.width, recipe.height, recipe.fitting, recipe.gravity) = (box.width, box.height, .fill, gravity)
    // Only numbers that cannot be here make a recipe fail.
    return (try? recipe.pipeline()) ?? .resize(within: box)
  }

  /// The pixels of a side, 0 if it is free.
  private func pixels(_ side: Side, _ full: Int?) -> Int {
    switch side {
    case .free: 0
    case .original: bounded(full ?? 0)
    case .pixels(let count): bounded(neverEnlarges && full != nil ? min(count, full ?? count) : count)
    }
  }

  private func bounded(_ side: Int) -> Int { most == 0 ? side : min(side, most) }

  private static func hasOtherShape(_ picture: PixelSize, _ sides: (width: Int, height: Int)) -> Bool {
    picture.width < picture.height && sides.width > sides.height
      || picture.width > picture.height && sides.width < sides.height
  }

  // MARK: The canvas of `fill`

  /// Bars around the picture, up to the size.
  func bars(_ color: PixelColor) -> TransformerPipeline {
    let size = PixelSize(width: pixels(width, nil), height: pixels(height, nil))
    guard size.width > 0 || size.height > 0 else { return .identity }
    let isSwapped = isAdaptive && width != height && size.width > 0 && size.height > 0
    return isSwapped
      ? .custom(ThumborBars(size: size, color: color))
      : .extend(width: size.width, height: size.height, color: color)
  }

  /// Bars made of the picture itself.
  func bars(of filling: PictureBars.Filling, isBehind: Bool) -> TransformerPipeline {
    width == .free && height == .free && !isBehind
      ? .identity : .custom(PictureBars(size: self, filling: filling, isBehind: isBehind))
  }

  /// The canvas of bars around a picture, with its sides swapped for one of another shape if the size adapts to it.
  func canvas(around picture: PixelSize) -> PixelSize {
    let sides = (width: pixels(width, nil), height: pixels(height, nil))
    let swaps = isAdaptive && sides.width > 0 && sides.height > 0 && Self.hasOtherShape(picture, sides)
    return PixelSize(
      width: max(picture.width, swaps ? sides.height : sides.width),
      height: max(picture.height, swaps ? sides.width : sides.height))
  }

  fileprivate static func bars(_ size: PixelSize, _ color: PixelColor, around picture: PixelSize) -> TransformerPipeline
  {
    let isOther = hasOtherShape(picture, (size.width, size.height))
    return .extend(
      width: isOther ? size.height : size.width, height: isOther ? size.width : size.height, color: color)
  }
}

/// A resize that depends on the size of the picture.
struct ThumborResize: PlannableTransformer, SizingTransformer, GainMapTransformer, FidelityTransformer {
  let size: ThumborSize
  private var fidelity = Fidelity.faithful

  init(size: ThumborSize) { self.size = size }

  func with(_ fidelity: Fidelity) -> ThumborResize {
    var result = self
    result.fidelity = fidelity
    return result
  }

  private func resize(of picture: PixelSize) -> TransformerPipeline { size.resize(of: picture).with(fidelity) }

  /// `ThumborResize({width,height},fitting)`; a gravity, `adaptive`, `enlarge` or `shrink`, a focal point, and
  /// a fidelity other than fast follow.
  var cacheKey: String {
    func text(_ side: ThumborSize.Side) -> String {
      switch side {
      case .free: "0"
      case .original: "orig"
      case .pixels(let count): "\(count)"
      }
    }
    var parts = ["{\(text(size.width)),\(text(size.height))}", size.fitting.rawValue]
    let place = size.alignment
    if place.isSmart {
      parts.append("sm")
    } else if place != ThumborSize.Alignment() {
      parts.append("{\(place.column),\(place.row)}")
    }
    if size.isAdaptive { parts.append("adaptive") }
    if size.enlarges { parts.append("enlarge") }
    if size.neverEnlarges { parts.append("shrink") }
    if size.most > 0 { parts.append("most{\(size.most)}") }
    if let focus = size.focus { parts.append("focus{\(Int(focus.x)),\(Int(focus.y))}") }
    if fidelity != .fast { parts.append(fidelity.name) }
    return "ThumborResize(\(parts.joined(separator: ",")))"
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try resize(of: image.size).transform(image, work: work)
  }

  func resultSize(of picture: PixelSize) -> PixelSize {
    resize(of: picture).members.reduce(picture) { size, step in
      (step as? any SizingTransformer)?.resultSize(of: size) ?? size
    }
  }

  func plan(for picture: PixelSize) -> TransformerPipeline.Plan? { resize(of: picture).plan(for: picture) }

  func plan(forDrawing picture: PixelSize) -> TransformerPipeline.Plan? {
    resize(of: picture).plan(forDrawing: picture)
  }
}

/// Bars up to a size whose sides are swapped for a picture of another shape.
struct ThumborBars: GainMapTransformer {
  let size: PixelSize
  let color: PixelColor

  /// `ThumborBars({width,height},{red,green,blue,alpha})`.
  var cacheKey: String {
    "ThumborBars({\(size.width),\(size.height)},{\(color.red),\(color.green),\(color.blue),\(color.alpha)})"
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try ThumborSize.bars(size, color, around: image.size).transform(image, work: work)
  }
}
