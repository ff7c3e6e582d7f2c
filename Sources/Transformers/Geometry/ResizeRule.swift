import EaselCore
import EaselPixels

/// The parts of a resize that depend on the size of the picture; the default changes nothing.
struct ResizeRule: Hashable {
  /// The factor by which the width is multiplied after the picture was fitted to the size.
  var zoomX = 1.0
  /// The factor by which the height is multiplied after the picture was fitted to the size.
  var zoomY = 1.0
  /// The least sides of the fitted picture, which is enlarged to them; zero for none.
  var least = PixelSize(width: 0, height: 0)
  /// False if the picture is only reduced, except to its least sides.
  var enlarges = true
  /// True if a picture that is too small to cover the size is cut to the ratio of the size.
  var keepsRatio = false
  /// True if the picture covers the size only if both are wide, or both are upright; else it fits inside.
  var comparesShapes = false
  /// The factor by which the size is multiplied, as far as the picture need not be enlarged for it.
  ///
  /// A picture too small for it is cut to the ratio that it has at a factor of 1.
  var pixelRatio = 1.0
  /// True if a side that is not given stays as it is, and does not follow from the other one.
  var keepsFreeSide = false
  /// The most pixels of a side of the result, for which the picture is made smaller; zero for no limit.
  var most = 0

  static let mostZoom = 1000.0
  static let mostPixelRatio = 8.0

  var hasZoom: Bool { zoomX != 1 || zoomY != 1 }
  var hasLeast: Bool { least != PixelSize(width: 0, height: 0) }

  private var hasValidZoom: Bool { zoomX > 0 && zoomX <= Self.mostZoom && zoomY > 0 && zoomY <= Self.mostZoom }

  /// True if the rule changes nothing for this picture.
  func isMet(by size: PixelSize, _ picture: PixelSize) -> Bool {
    let isFree = size.width == 0 || size.height == 0
    let fits = size.width <= picture.width && size.height <= picture.height
    return self == ResizeRule()
      || !isFree && fits && self == ResizeRule(enlarges: false, keepsRatio: keepsRatio)
  }

  /// The parts of the key, each after a comma: `zoom{x,y}`, `least{width,height}`, `shrink`, `ratio`, `auto`, `dpr{x}`,
  /// `keep`, `most{side}`.
  var keyText: String {
    var parts: [String] = []
    if hasZoom { parts.append("zoom{\(KeyText.number(zoomX)),\(KeyText.number(zoomY))}") }
    if hasLeast { parts.append("least" + KeyText.list(least.width, least.height)) }
    if !enlarges { parts.append("shrink") }
    if keepsRatio { parts.append("ratio") }
    if comparesShapes { parts.append("auto") }
    if pixelRatio != 1 { parts.append("dpr{\(KeyText.number(pixelRatio))}") }
    if keepsFreeSide { parts.append("keep") }
    if most > 0 { parts.append("most{\(most)}") }
    return parts.map { "," + $0 }.joined()
  }

  /// Rewrites size, mode and rule so that resizes that mean the same become equal.
  static func simplify(_ size: inout PixelSize, _ mode: inout TransformerPipeline.ResizeMode, _ rule: inout ResizeRule)
  {
    if mode == .scaleDown && rule != ResizeRule() {
      mode = .fit
      rule.enlarges = false
    }
    let hasSize = size.width > 0 || size.height > 0
    let isFree = size.width == 0 || size.height == 0
    if isFree && mode != .scaleDown { mode = .force }
    if !isFree || !hasSize { rule.keepsFreeSide = false }
    if mode != .fill {
      rule.keepsRatio = false
      rule.comparesShapes = false
    }
    if rule.enlarges { rule.keepsRatio = false }
    // Each rounds, so the ratio of pixels comes first, as it does for the sides of bars.
    if mode != .fill || rule.enlarges || rule.keepsRatio { rule.foldPixelRatio(into: &size) }
    rule.foldZoom(into: &size, stretches: mode == .force && !isFree)
    if rule.enlarges && !rule.hasZoom && (mode == .force || mode == .fill && !rule.comparesShapes) {
      // The picture has these sides anyway.
      if size.width > 0 && (0...size.width).contains(rule.least.width) { rule.least.width = 0 }
      if size.height > 0 && (0...size.height).contains(rule.least.height) { rule.least.height = 0 }
    }
    // A picture that is cut, or fitted into both sides, has no longer ones.
    if !isFree, !rule.hasZoom, !rule.hasLeast, max(size.width, size.height) <= rule.most { rule.most = 0 }
    if rule == ResizeRule(enlarges: false), hasSize, isFree || mode == .fit {
      mode = .scaleDown
      rule = ResizeRule()
    }
  }

  private mutating func foldZoom(into size: inout PixelSize, stretches: Bool) {
    guard hasValidZoom, size.width >= 0, size.height >= 0, !keepsFreeSide else { return }
    if size.width > 0 || size.height > 0 {
      guard zoomX == zoomY || stretches else { return }
      size = PixelSize(width: Self.zoomed(size.width, by: zoomX), height: Self.zoomed(size.height, by: zoomY))
      (zoomX, zoomY) = (1, 1)
    } else if !enlarges {
      let longest = max(1, zoomX, zoomY)
      (zoomX, zoomY) = (zoomX / longest, zoomY / longest)
      enlarges = true
    }
  }

  /// Only a picture that covers the size may come out with another ratio if the size is multiplied.
  private mutating func foldPixelRatio(into size: inout PixelSize) {
    guard pixelRatio >= 1, pixelRatio <= Self.mostPixelRatio, size.width >= 0, size.height >= 0 else { return }
    size = PixelSize(width: Self.zoomed(size.width, by: pixelRatio), height: Self.zoomed(size.height, by: pixelRatio))
    pixelRatio = 1
  }

  /// Rounds to nearest, to at least 1; zero stays zero, and a side that no `Int` can hold becomes `.max`.
  static func zoomed(_ side: Int, by factor: Double) -> Int {
    if side == 0 || factor == 1 { return side }
    return max(1, Int(exactly: (Double(side) * factor).rounded()) ?? .max)
  }

  init(
    zoomX: Double = 1, zoomY: Double = 1, least: PixelSize = PixelSize(width: 0, height: 0), enlarges: Bool = true,
    keepsRatio: Bool = false, comparesShapes: Bool = false, pixelRatio: Double = 1, keepsFreeSide: Bool = false,
    most: Int = 0
  ) {
    self.zoomX = zoomX
    self.zoomY = zoomY
    self.least = least
    self.enlarges = enlarges
    self.keepsRatio = keepsRatio
    self.comparesShapes = comparesShapes
    self.pixelRatio = pixelRatio
    self.keepsFreeSide = keepsFreeSide
    self.most = most
  }
}

extension Resize {
  func checkRule() throws(ImageError) {
    let factors = [rule.zoomX, rule.zoomY]
    try require(
      factors.allSatisfy { $0 > 0 && $0 <= ResizeRule.mostZoom },
      "each zoom must be above 0 and at most 1000, but they are \(rule.zoomX) and \(rule.zoomY)")
    try require(
      rule.pixelRatio >= 1 && rule.pixelRatio <= ResizeRule.mostPixelRatio,
      "dpr must be from 1 to 8, but is \(rule.pixelRatio)")
    try require(rule.least.width >= 0 && rule.least.height >= 0, "no least side may be negative")
    try require(rule.most >= 0, "the longest side may not be negative")
    try require(mode != .pad || rule == ResizeRule(), "bars go with neither zoom, least sides nor shrink")
  }
}

extension ResizeLayout {
  /// Lays a picture out by a rule: the picture is scaled, and what sticks out of the size is cut off.
  init(_ resize: Resize, by rule: ResizeRule, of picture: PixelSize) {
    let scale = Scale(resize, rule, of: picture)
    let (width, height) = (scale.x * Double(picture.width), scale.y * Double(picture.height))
    let size = resize.size
    var most = (
      x: size.width == 0 ? Double.infinity : Self.most(size.width, rule.zoomX, scale.growth),
      y: size.height == 0 ? Double.infinity : Self.most(size.height, rule.zoomY, scale.growth)
    )
    let share = min(width / most.x, height / most.y)
    if rule.keepsRatio && share < 1 {
      most = (max(1, (most.x * share).rounded()), max(1, (most.y * share).rounded()))
    }
    // If the size was rounded to fewer pixels than a whole picture has, the picture is squeezed rather than cut.
    let slack = scale.covers ? 1e-6 : 0.5
    let columns = Self.cut(width, to: most.x, slack: slack, of: picture.width)
    let rows = Self.cut(height, to: most.y, slack: slack, of: picture.height)
    let canvas = PixelSize(width: columns.side, height: rows.side)
    let whole = RowResampler.Box(PixelRect(covering: picture))
    self.init(canvas: canvas, target: PixelRect(covering: canvas), source: whole)
    if scale.x == 1 && scale.y == 1 {
      // Pixels that keep their size stay where they are, so that they stay sharp.
      source = RowResampler.Box(resize.gravity.rect(of: canvas, in: picture))
      return
    }
    if let used = columns.used {
      source.width = used
      source.x = resize.gravity.x(of: used, in: whole.width, pixel: 1 / scale.x)
    }
    if let used = rows.used {
      source.height = used
      source.y = resize.gravity.y(of: used, in: whole.height, pixel: 1 / scale.y)
    }
  }

  private static func most(_ side: Int, _ zoom: Double, _ growth: Double) -> Double {
    max(1, (Double(ResizeRule.zoomed(side, by: zoom)) * growth).rounded())
  }

  /// The side of the result, and how much of the picture's side it shows; nil for all of it.
  private static func cut(
    _ scaled: Double, to most: Double, slack: Double, of full: Int
  ) -> (side: Int, used: Double?) {
    let side = whole(min(scaled, most))
    guard scaled > most + slack, side < .max else { return (side, nil) }
    // A picture that is scaled beyond all sense is refused like a result of that size.
    guard whole(scaled) < .max else { return (.max, nil) }
    return (side, Double(full) * (most / scaled))
  }

  /// Rounds to nearest, to at least 1; a side beyond all limits becomes `.max`, which they refuse.
  private static func whole(_ side: Double) -> Int {
    guard side < 16_777_216 else { return .max }
    // Halves are rounded up, even where the product of two numbers falls just short of one.
    return max(1, Int((side + 0.5 + 1e-9).rounded(.down)))
  }

  private struct Scale {
    var x = 1.0
    var y = 1.0
    /// The part of the rule's pixel ratio that the picture has enough pixels for.
    var growth = 1.0
    /// True if the picture covers the size, before least sides.
    let covers: Bool

    init(_ resize: Resize, _ rule: ResizeRule, of picture: PixelSize) {
      let (width, height) = (Double(picture.width), Double(picture.height))
      let (toWidth, toHeight) = (Double(resize.size.width) / width, Double(resize.size.height) / height)
      let isWide = picture.width >= picture.height
      covers =
        resize.mode == .fill
        && (!rule.comparesShapes || isWide == (resize.size.width >= resize.size.height))
      switch (resize.size.width > 0, resize.size.height > 0) {
      case (false, false): break
      case (true, false): (x, y) = (toWidth, rule.keepsFreeSide ? 1 : toWidth)
      case (false, true): (x, y) = (rule.keepsFreeSide ? 1 : toHeight, toHeight)
      case (true, true) where resize.mode == .force: (x, y) = (toWidth, toHeight)
      case (true, true):
        x = covers ? max(toWidth, toHeight) : min(toWidth, toHeight)
        y = x
      }
      multiply(by: rule.zoomX, rule.zoomY)
      let most = max(x, y)
      if !rule.enlarges && most > 1 {
        (x, y) = (x / most, y / most)
      } else if rule.pixelRatio * most >= 1 && rule.pixelRatio > 1 {
        (x, y, growth) = (x / most, y / most, 1 / most)
      } else {
        multiply(by: rule.pixelRatio, rule.pixelRatio)
        growth = rule.pixelRatio
      }
      raise(x * width, to: rule.least.width)
      raise(y * height, to: rule.least.height)
      let sides = (
        x: Self.shown(x * width, of: resize.size.width, times: rule.zoomX * growth),
        y: Self.shown(y * height, of: resize.size.height, times: rule.zoomY * growth)
      )
      let longest = max(sides.x, sides.y)
      guard rule.most > 0, longest > Double(rule.most) else { return }
      let factor = Double(rule.most) / longest
      multiply(by: factor, factor)
      growth *= factor
    }

    /// The side of the result: what sticks out of a given side is cut off.
    private static func shown(_ side: Double, of given: Int, times factor: Double) -> Double {
      given == 0 ? side : min(side, max(1, Double(given) * factor))
    }

    private mutating func raise(_ side: Double, to least: Int) {
      guard side < Double(least) else { return }
      multiply(by: Double(least) / side, Double(least) / side)
    }

    private mutating func multiply(by horizontal: Double, _ vertical: Double) {
      x *= horizontal
      y *= vertical
    }
  }
}
