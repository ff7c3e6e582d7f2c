import EaselCore
import EaselPixels
import EaselTransformers

/// What a URL of thumbor's form says, until its order can be made.
struct ThumborDraft {
  let sources: ThumborSource
  let formats: FormatNames
  var order = ImageOrder(source: "")
  var trim: ThumborTrim?
  var crop: ThumborCrop?
  var size = ThumborSize()
  var flips = (horizontal: false, vertical: false)
  /// The areas that the filter `focal` names, in pixels of the original.
  var focalAreas: [ThumborCrop] = []
  /// The steps of the filters, in the order of the URL.
  private var steps: [ImageOrder.Step] = []

  init(sources: ThumborSource, formats: FormatNames) { (self.sources, self.formats) = (sources, formats) }

  /// Adds a step of a filter, unless it changes nothing.
  mutating func append(_ step: TransformerPipeline) {
    if !step.isIdentity { steps.append(.transform(step)) }
  }

  mutating func append(_ watermark: WatermarkOrder) { steps.append(.watermark(watermark)) }

  /// The order, with its steps in thumbor's order: trim, crop, size, flips, then the filters.
  func finished(source: String) -> ImageOrder {
    var size = size
    if let focus { size.focus = focus }
    var pipeline = trim?.pipeline ?? .identity
    if let crop {
      // The points of a crop are those of the original, also if its border is cut off.
      pipeline = trim.map { TransformerPipeline.custom(TrimmedCrop(trim: $0, crop: crop)) } ?? crop.pipeline
    }
    pipeline = pipeline.then(size.pipeline)
    if flips.horizontal || flips.vertical {
      pipeline = pipeline.then(.flip(horizontal: flips.horizontal, vertical: flips.vertical))
    }
    var order = order
    order.source = source
    order.pixels = .steps(pipeline.isIdentity ? steps : [.transform(pipeline)] + steps)
    return order
  }

  /// The centre of the focal areas, each as important as it is large; nil if there is none in the crop.
  private var focus: ThumborSize.Focus? {
    var (weights, sumX, sumY) = (0.0, 0.0, 0.0)
    for area in focalAreas {
      let x = Double(area.left + (area.right - area.left) / 2)
      let y = Double(area.top + (area.bottom - area.top) / 2)
      if let crop {
        guard (Double(crop.left)...Double(crop.right)).contains(x), (Double(crop.top)...Double(crop.bottom)).contains(y)
        else { continue }
      }
      let weight = Double(area.right - area.left) * Double(area.bottom - area.top)
      weights += weight
      sumX += weight * x
      sumY += weight * y
    }
    guard weights > 0 else { return nil }
    let (x, y) = ((sumX / weights).rounded(.down), (sumY / weights).rounded(.down))
    return ThumborSize.Focus(x: x - Double(crop?.left ?? 0), y: y - Double(crop?.top ?? 0))
  }
}

/// A trim: `trim`, `trim:top-left:10`, `trim:bottom-right:10`.
struct ThumborTrim {
  private var isBottomRight = false
  private var tolerance = 0

  /// The longest distance between two colours in thumbor's measure.
  private static let mostTolerance = 442

  init(_ text: String) throws(ServiceError) {
    var parts = text.split(separator: ":", omittingEmptySubsequences: false).dropFirst()
    if let place = parts.first, place == "top-left" || place == "bottom-right" {
      isBottomRight = place == "bottom-right"
      parts.removeFirst()
    }
    guard let number = parts.first else { return }
    guard parts.count == 1, let value = ThumborNumber.integer(number, 0...Self.mostTolerance) else {
      throw ServiceError(
        400,
        "The part trim takes top-left or bottom-right and a tolerance from 0 to \(Self.mostTolerance), not "
          + "'\(text.dropFirst(5).prefix(40))'; write it as trim:bottom-right:10.")
    }
    tolerance = value
  }

  private static let turn = TransformerPipeline.flip(horizontal: true, vertical: true)

  private var mostDifference: Double { Double(min(tolerance, 255)) }

  /// The trim; one by the bottom right pixel is that of the picture turned around.
  var pipeline: TransformerPipeline {
    let trim = TransformerPipeline.trim(tolerance: mostDifference)
    return isBottomRight ? Self.turn.then(trim).then(Self.turn) : trim
  }

  /// The corner and the tolerance.
  var keyText: String { "\(isBottomRight ? "bottom-right" : "top-left"),\(min(tolerance, 255))" }

  /// The part inside the border; nil if all of the picture is border.
  func part(of image: Image, work: WorkContext) throws -> PixelRect? {
    let turned = isBottomRight ? try Self.turn.transform(image, work: work) : image
    guard var part = try turned.bitmap.partInsideBorder(of: nil, tolerance: mostDifference, work: work) else {
      return nil
    }
    if isBottomRight {
      part.x = image.size.width - part.x - part.width
      part.y = image.size.height - part.y - part.height
    }
    return part
  }
}

/// Numbers as they stand in paths: only digits.
enum ThumborNumber {
  /// The numbers that sides and distances may have.
  static let sides = 0...1_000_000_000

  static func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
  }

  static func integer(_ text: some StringProtocol, _ range: ClosedRange<Int>) -> Int? {
    guard text.utf8.count <= 20, isDigits(text), let value = Int(text), range.contains(value) else { return nil }
    return value
  }
}
