import EaselCore
import EaselPixels

extension TransformerPipeline.Gravity {
  var isSmart: Bool { place == .smart }

  /// The gravity of a picture between bars, where nothing is cut off.
  var betweenBars: TransformerPipeline.Gravity {
    isSmart ? TransformerPipeline.Gravity(.anchor(.center), insetX: insetX, insetY: insetY) : self
  }

  /// The same gravity with the place that a smart one has for a window in a part of this picture.
  ///
  /// `window` has the window's sides as shares of the part's, and `shape` is the part's size in the full picture.
  func decided(
    for window: (width: Double, height: Double), in part: PixelRect, of bitmap: Bitmap, shape: PixelSize,
    work: WorkContext
  ) throws(ImageError) -> TransformerPipeline.Gravity {
    guard isSmart else { return self }
    let place = try bitmap.salientWindow(
      width: window.width, height: window.height, of: part, shape: shape, work: work)
    return TransformerPipeline.Gravity(.room(x: place.x, y: place.y), insetX: insetX, insetY: insetY)
  }
}

extension CropArea {
  var gravity: TransformerPipeline.Gravity? {
    get {
      switch self {
      case .rect, .shares: nil
      case .size(_, _, let gravity), .ratio(_, let gravity), .shape(_, _, _, _, let gravity): gravity
      }
    }
    set {
      guard let newValue else { return }
      switch self {
      case .rect, .shares: break
      case .size(let width, let height, _): self = .size(width, height, newValue)
      case .ratio(let ratio, _): self = .ratio(ratio, newValue)
      case .shape(let width, let height, let ratio, let enlarges, _):
        self = .shape(width, height, ratio: ratio, enlarges: enlarges, newValue)
      }
    }
  }
}

extension Crop: FirstFrameTransformer {
  var isSmart: Bool { area.gravity?.isSmart ?? false }

  /// The same crop with the place that a smart one has in this picture, whose full size is `size`.
  func decided(on bitmap: Bitmap, size: PixelSize, work: WorkContext) throws(ImageError) -> Crop {
    guard let gravity = area.gravity, gravity.isSmart else { return self }
    let part = try part(of: size)
    let window = (
      width: Double(part.width) / Double(size.width), height: Double(part.height) / Double(size.height)
    )
    var area = area
    area.gravity = try gravity.decided(
      for: window, in: PixelRect(covering: bitmap.size), of: bitmap, shape: size, work: work)
    return Crop(area)
  }

  func fixed(by first: Image, work: WorkContext) throws -> any Transformer {
    try checkParameters()
    return try decided(on: first.bitmap, size: first.bitmap.size, work: work)
  }
}

extension Resize: FirstFrameTransformer {
  func fixed(by first: Image, work: WorkContext) throws -> any Transformer {
    guard gravity.isSmart else { return self }
    return try ResizeStep(crop: nil, resize: self, fullSize: nil).fixed(by: first, work: work)
  }
}

extension ResizeStep: FirstFrameTransformer {
  /// The same step with the places that smart gravities have in this picture.
  func decided(on bitmap: Bitmap, work: WorkContext) throws(ImageError) -> ResizeStep {
    guard isSmart else { return self }
    let full = fullSize ?? bitmap.size
    let crop = try crop?.decided(on: bitmap, size: full, work: work)
    let part = try crop?.part(of: full) ?? PixelRect(covering: full)
    let source = ResizeLayout(resize, of: part.size).source
    let window = (
      width: source.width / Double(part.width), height: source.height / Double(part.height)
    )
    let pixels = RowResampler.Box(part).scaled(from: full, to: bitmap.size).enclosingPixels(in: bitmap.size)
    let gravity = try resize.gravity.decided(for: window, in: pixels, of: bitmap, shape: part.size, work: work)
    let resize = Resize(
      resize.size, mode: resize.mode, gravity: gravity, filter: resize.filter, fidelity: resize.fidelity,
      rule: resize.rule)
    return ResizeStep(crop: crop, resize: resize, fullSize: fullSize)
  }

  func fixed(by first: Image, work: WorkContext) throws -> any Transformer {
    try checkParameters()
    return try decided(on: first.bitmap, work: work)
  }

  /// The least scale of a smaller copy on which smart gravities decide, 0 if there is none.
  func scaleForCells(of full: PixelSize, in part: PixelSize) -> Double {
    let least = 4 * Double(Bitmap.mostSalienceCells)
    let forCrop = crop?.isSmart ?? false ? least / Double(max(full.width, full.height)) : 0
    let forResize = resize.gravity.isSmart ? least / Double(max(part.width, part.height)) : 0
    return max(forCrop, forResize)
  }

  private var isSmart: Bool { crop?.isSmart ?? false || resize.gravity.isSmart }
}
