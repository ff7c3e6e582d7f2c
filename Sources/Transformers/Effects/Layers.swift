import EaselColor
import EaselCore
import EaselPixels

/// Draws several pictures over a picture, one after another.
struct Layers: BitmapTransformer {
  let layers: [TransformerPipeline.Layer]

  /// The most layers of one picture.
  private static let most = 64

  /// Creates the layers; those of which nothing is seen are left out.
  init(_ layers: [TransformerPipeline.Layer]) { self.layers = layers.filter { !$0.isInvisible } }

  /// `Layers({name,gravity,opacity,mode,pipeline},...)`.
  var cacheKey: String { "Layers(\(layers.map(\.keyText).joined(separator: ",")))" }

  var isTrivial: Bool { layers.isEmpty }

  func checkParameters() throws(ImageError) {
    try require(layers.count <= Self.most, "there may be \(Self.most) layers, but there are \(layers.count)")
    for layer in layers {
      if case .picture(let picture) = layer.source {
        try require(!picture.name.isEmpty, "the picture of a layer needs a name")
      }
      try require(
        layer.opacity >= 0 && layer.opacity <= 1, "the opacity must be from 0 to 1, but is \(layer.opacity)")
      try check(layer.gravity)
    }
  }

  func transform(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    for layer in layers {
      try work.checkCancellation()
      let picture = try layer.picture(over: result, work: work)
      // Of a larger picture, the part that the gravity keeps lies on the whole picture.
      let size = PixelSize(width: min(picture.width, result.width), height: min(picture.height, result.height))
      let part = layer.gravity.rect(of: size, in: picture.size)
      let place = layer.gravity.rect(of: size, in: result.size)
      result = try result.overlaid(
        with: size == picture.size ? picture : picture.cropped(to: part), x: place.x, y: place.y, mode: layer.mode,
        opacity: layer.opacity, work: work)
    }
    return result
  }

  func drawing(in description: ColorDescription, work: WorkContext) throws(ImageError) -> Layers {
    guard !description.coding.isShownAsSRGB else { return self }
    return Layers(layers.map { $0.drawn(in: description) })
  }

  /// Compares the keys, which also name the pictures.
  static func == (left: Layers, right: Layers) -> Bool { left.cacheKey == right.cacheKey }

  /// Hashes the key.
  func hash(into hasher: inout Hasher) { hasher.combine(cacheKey) }
}
