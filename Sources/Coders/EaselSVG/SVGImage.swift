import CEaselFonts
import EaselCore
import EaselPixels

/// Draws a document at the wanted size.
struct SVGImage {
  private let document: SVGDocument
  private let survey: SVGSurvey
  private let work: WorkContext

  /// The size of the document.
  let size: PixelSize

  init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    try work.checkCancellation()
    self.work = work
    let file = try SVGFile(bytes, limits: work.limits)
    survey = SVGSurvey(file.xml)
    try survey.check(work.limits)
    guard !survey.hasText || easel_fonts_draw_text() else {
      throw ImageError(
        .unsupportedFormat,
        "SVG: its text would be drawn as boxes, because this version of pango opens no fonts for a sandbox.")
    }
    document = try SVGDocument(file, hasLongValues: survey.mayHaveLongValues)
    try work.checkCancellation()
    size = document.pixelSize
    try work.limits.check(frame: size, claimedBy: "SVG: the file")
  }

  /// The description of the picture, without its pixels.
  var header: ImageHeader { ImageHeader(format: .svg, storedSize: size, hasAlpha: true) }

  /// Draws the picture.
  func image(_ options: DecodeOptions) throws(ImageError) -> Image {
    let target = target(options)
    try work.limits.check(frame: target, claimedBy: "SVG: the drawing")
    try survey.check(work.limits, drawing: target.area)
    var bitmap = try document.bitmap(of: target)
    try work.checkCancellation()
    try bitmap.convert(to: .rgba8, work: work)
    return Image(
      bitmap, format: .svg, metadata: ImageMetadata(storedSize: size), traits: target == size ? [] : .thumbnail)
  }

  /// The size to draw at.
  ///
  /// Lines are sharp at any size, so the least sufficient size is enough.
  private func target(_ options: DecodeOptions) -> PixelSize {
    let target = options.targetSize(for: header)
    guard let least = options.leastSize, !least.isEmpty else { return target }
    guard least.width <= target.width, least.height <= target.height else { return least }
    // The side with the larger share of its target decides, and the other side keeps the ratio.
    if least.width * target.height >= least.height * target.width {
      return PixelSize(width: least.width, height: max(1, Self.scaled(target.height, least.width, target.width)))
    }
    return PixelSize(width: max(1, Self.scaled(target.width, least.height, target.height)), height: least.height)
  }

  private static func scaled(_ side: Int, _ part: Int, _ whole: Int) -> Int { (2 * side * part + whole) / (2 * whole) }
}
