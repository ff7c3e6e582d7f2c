import EaselCore
import EaselTransformers

/// Cuts a part out of a picture without its border; the part is given in pixels of the picture with it.
struct TrimmedCrop: FirstFrameTransformer, GainMapTransformer {
  let trim: ThumborTrim
  let crop: ThumborCrop

  /// `TrimmedCrop(trim,{left,top,right,bottom})`.
  var cacheKey: String { "TrimmedCrop(\(trim.keyText),{\(crop.left),\(crop.top),\(crop.right),\(crop.bottom)})" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    try fixed(by: image, work: work).transform(image, work: work)
  }

  func fixed(by first: Image, work: WorkContext) throws -> any Transformer {
    guard let part = try trim.part(of: first, work: work) else { return crop.pipeline }
    return TransformerPipeline.crop(x: part.x, y: part.y, width: part.width, height: part.height).then(
      .crop(x: crop.left - part.x, y: crop.top - part.y, width: crop.right - crop.left, height: crop.bottom - crop.top))
  }
}
