import EaselCore
import EaselPixels
import EaselTransformers

/// Puts a soft black shadow under what a picture shows; the picture gets a border with room for it.
struct Shadow: Transformer {
  /// The standard deviation of the blur in pixels.
  let deviation: Double

  /// `Shadow(deviation)`.
  var cacheKey: String { "Shadow(\(deviation))" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let picture = try TransformerPipeline.pad(Int((2 * deviation).rounded(.up))).transform(image, work: work)
    let shadow = try TransformerPipeline.tint(.black).then(.blur(deviation)).transform(picture, work: work)
    return Image(try shadow.bitmap.overlaid(with: picture.bitmap, x: 0, y: 0, work: work))
  }
}
