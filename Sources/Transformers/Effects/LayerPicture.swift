import EaselColor
import EaselCore
import EaselPixels
import EaselSupport

/// The picture of a layer, and what the layer's pipeline has made of it.
///
/// The frames of a moving picture share what was made for the first. Two threads that need it at the same time may both
/// make it.
final class LayerPicture: Sendable {
  let name: String
  private let original: Bitmap
  /// The colours in which it is drawn; nil for sRGB.
  private let colors: ColorDescription?
  private let kept = Locked<Bitmap?>(nil)

  /// The most bytes that are kept.
  private static let mostBytes = 8 << 20

  init(_ original: Bitmap, name: String, colors: ColorDescription? = nil) {
    (self.original, self.name, self.colors) = (original, name, colors)
  }

  /// The same picture, drawn in other colours after its pipeline has run.
  func drawn(in colors: ColorDescription) -> LayerPicture { LayerPicture(original, name: name, colors: colors) }

  func made(by pipeline: TransformerPipeline, work: WorkContext) throws(ImageError) -> Bitmap {
    if pipeline.isIdentity && colors == nil { return original }
    if let kept = kept.withLock({ $0 }) { return kept }
    var picture = try Self.make(original, in: nil, by: pipeline, work: work)
    if let colors { picture = try picture.drawn(in: colors, work: work) }
    if picture.memoryCost <= Self.mostBytes { kept.withLock { $0 = picture } }
    return picture
  }

  static func make(
    _ picture: Bitmap, in colors: ColorDescription?, by pipeline: TransformerPipeline, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    if pipeline.isIdentity { return picture }
    var image = Image(picture)
    image.metadata.color = colors
    do {
      return try pipeline.transformed(image, work: work).bitmap
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError(.transformFailed, "A layer: \(pipeline.cacheKey) failed: \(error).")
    }
  }
}
