import EaselCore
import EaselPixels
import EaselTransformers

/// The parts of a thumbor URL, before its filters are put in order.
struct ThumborDraft {
  var order = PictureOrder(source: "")
  var trim = TransformerPipeline.identity
  var crop = TransformerPipeline.identity
  var width = 0
  var height = 0
  var flips = (horizontal: false, vertical: false)
  var fitsIn = false
  var horizontal = Alignment.middle
  var vertical = Alignment.middle
  var isSmart = false
  /// The middle of the part that a filter calls important, as shares.
  var focalPoint: (x: Double, y: Double)?
  var stretches = false
  /// True or false if a filter says so; nil for the default of the fitting.
  var enlarges: Bool?
  /// The colour of bars up to the size, nil for none.
  var fill: PixelColor?
  /// The filters that change pixels, in the order of the URL.
  var filters: [PictureOrder.Step] = []

  enum Alignment { case start, middle, end }

  private static let places: [[TransformerPipeline.Gravity]] = [
    [.northWest, .north, .northEast], [.west, .center, .east], [.southWest, .south, .southEast],
  ]

  private var gravity: TransformerPipeline.Gravity {
    if let focalPoint { return .focalPoint(x: focalPoint.x, y: focalPoint.y) }
    if isSmart { return .smart }
    func index(_ alignment: Alignment) -> Int { alignment == .start ? 0 : alignment == .middle ? 1 : 2 }
    return Self.places[index(vertical)][index(horizontal)]
  }

  /// The order that the parts make together; the filters come after the size.
  func finished(source: String) throws(ServiceError) -> PictureOrder {
    var recipe = PixelRecipe()
    (recipe.trim, recipe.crop) = (trim, crop)
    (recipe.width, recipe.height) = (width, height)
    recipe.fitting = stretches ? .fill : fitsIn ? .inside : .aspectFill
    recipe.enlarges = enlarges ?? !fitsIn
    recipe.gravity = gravity
    if flips.horizontal || flips.vertical {
      recipe.turn = .flip(horizontal: flips.horizontal, vertical: flips.vertical)
    }
    var steps: [PictureOrder.Step] = []
    do throws(ImageError) {
      steps.append(.transform(try recipe.pipeline()))
    } catch {
      throw ServiceError(400, error.message)
    }
    if let fill {
      steps.append(.transform(.background(fill)))
      if width > 0 || height > 0 { steps.append(.transform(.extend(width: width, height: height, color: fill))) }
    }
    var order = order
    order.source = source
    order.pixels = .steps(steps + filters)
    return order
  }

  mutating func add(_ filter: TransformerPipeline) { filters.append(.transform(filter)) }

  /// Adds this much to each component; 1 is white.
  mutating func add(red: Double, green: Double, blue: Double) {
    guard red != 0 || green != 0 || blue != 0 else { return }
    add(
      .colorMatrix(
        Bitmap.ColorMatrix(rows: [
          [1, 0, 0, 0, red], [0, 1, 0, 0, green], [0, 0, 1, 0, blue], [0, 0, 0, 1, 0],
        ])))
  }
}
