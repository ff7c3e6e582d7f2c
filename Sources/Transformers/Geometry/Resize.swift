import EaselCore
import EaselPixels

/// Changes the size of a picture, enlarging it if necessary.
///
/// A side of zero follows from the other side and the picture's aspect ratio.
struct Resize: PlannableTransformer, BitmapTransformer {
  /// The size of the result; a zero side follows the picture's aspect ratio.
  let size: PixelSize
  /// The way a picture with another aspect ratio is fitted.
  let mode: TransformerPipeline.ResizeMode
  /// Which part of a picture stays when it is cut, or where it stands between bars.
  let gravity: TransformerPipeline.Gravity
  /// The filter that weights pixels.
  let filter: Bitmap.ResampleFilter
  /// Says what is averaged, and of how much of the picture.
  var fidelity: TransformerPipeline.Fidelity
  /// What else decides the size of the result.
  let rule: ResizeRule

  /// Keeps only the settings that matter, so that equal results have equal keys.
  ///
  /// If a side is zero, nothing needs fitting: the mode becomes ``TransformerPipeline/ResizeMode/force``, except for
  /// ``TransformerPipeline/ResizeMode/scaleDown``. The gravity is kept only where parts are cut off or bars
  /// are added.
  init(
    _ size: PixelSize, mode: TransformerPipeline.ResizeMode = .force, gravity: TransformerPipeline.Gravity = .center,
    filter: Bitmap.ResampleFilter = .lanczos3, fidelity: TransformerPipeline.Fidelity = .faithful,
    rule: ResizeRule = ResizeRule()
  ) {
    var (size, mode, rule) = (size, mode, rule)
    ResizeRule.simplify(&size, &mode, &rule)
    self.size = size
    self.mode = mode
    self.rule = rule
    let cuts = mode == .fill || rule.hasLeast
    self.gravity = cuts ? gravity : mode == .pad ? gravity.betweenBars : .center
    self.filter = filter
    // The nearest filter averages nothing, and always takes the whole picture.
    self.fidelity = filter == .nearest ? .fast : fidelity
  }

  /// The key: `Resize({width,height},mode)`.
  ///
  /// The filter follows unless it is Lanczos3; the filter and the fidelity follow unless that is fast. The gravity
  /// follows unless it is the centre, and the rule follows last: see ``ResizeRule/keyText``.
  var cacheKey: String {
    let extras =
      fidelity != .fast
      ? ",\(filter.rawValue),\(fidelity.rawValue)" : filter == .lanczos3 ? "" : ",\(filter.rawValue)"
    let place = gravity == .center ? "" : ",\(gravity.keyText)"
    return "Resize(\(KeyText.list(size.width, size.height)),\(mode.rawValue)\(extras)\(place)\(rule.keyText))"
  }

  /// True to filter light instead of sRGB values, where a part of this size fills the target.
  ///
  /// What is enlarged keeps its values, because light would make dark rings around its bright edges.
  func averagesLight(of source: RowResampler.Box, filling target: PixelSize) -> Bool {
    fidelity != .fast && (Double(target.width) < source.width || Double(target.height) < source.height)
  }

  /// Averages the numbers of a picture that are not on the curve of sRGB.
  func drawing(in color: ColorDescription, work: WorkContext) throws(ImageError) -> Resize {
    var result = self
    if color.coding.isHighRange || color.coding.transfer == 8 { result.fidelity = .fast }
    return result
  }

  var isTrivial: Bool {
    size == PixelSize(width: 0, height: 0) && !rule.hasZoom && !rule.hasLeast && rule.most == 0
  }

  func checkParameters() throws(ImageError) {
    try require(size.width >= 0 && size.height >= 0, "no side may be negative, but the size is \(size)")
    try require(!isTrivial, "at least one side must be given, but both are 0")
    try checkRule()
    try check(gravity)
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    try ResizeStep(crop: nil, resize: self, fullSize: nil).transform(bitmap, work: work)
  }

  /// Asks the decoder for a picture of several times the final size, unless the whole one is wanted.
  func plan(for size: PixelSize) -> TransformerPipeline.Plan? {
    ResizeStep(crop: nil, resize: self, fullSize: nil).plan(for: size)
  }

  func plan(forDrawing size: PixelSize) -> TransformerPipeline.Plan? {
    ResizeStep(crop: nil, resize: self, fullSize: nil).plan(forDrawing: size)
  }
}
