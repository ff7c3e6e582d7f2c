import EaselCore
import EaselPixels
import EaselTransformers

/// Draws a frame over a picture, which gets white borders where the frame says so.
struct NinePatchFrame: Transformer {
  let picture: Watermark

  /// `Frame` before the key of a watermark with the same name.
  var cacheKey: String {
    "Frame" + TransformerPipeline.watermark(picture.bitmap, name: picture.name, gravity: .northWest).cacheKey
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let patch = try NinePatch(picture.bitmap, work: work)
    let (left, top, right, bottom) = patch.padding
    let size = PixelSize(width: image.size.width + left + right, height: image.size.height + top + bottom)
    try work.limits.check(result: size, from: image.size, madeBy: cacheKey)
    let padding = TransformerPipeline.pad(top: top, left: left, bottom: bottom, right: right, color: .white)
    let padded = size == image.size ? image : try padding.transform(image, work: work)
    return Image(try padded.bitmap.overlaid(with: patch.drawn(at: size, work: work), x: 0, y: 0, work: work))
  }
}
