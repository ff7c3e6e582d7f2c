import EaselCore
import EaselPixels
import EaselTransformers

/// Puts a picture on a larger canvas that is filled with something made of the picture itself.
struct PictureBars: SizingTransformer {
  enum Filling: String, Hashable, Sendable {
    /// The mean colour of the picture.
    case auto
    /// The picture, blurred and stretched to the canvas.
    case blur
  }

  let size: ThumborSize
  let filling: Filling
  /// True if the filling shows through transparent pixels.
  let isBehind: Bool

  private static let deviation = 50.0

  /// `PictureBars({width,height},filling,isBehind)`, with `adaptive` after them if the sides may be swapped.
  var cacheKey: String {
    let canvas = size.canvas(around: PixelSize(width: 0, height: 0))
    return
      "PictureBars({\(canvas.width),\(canvas.height)},\(filling.rawValue),\(isBehind ? 1 : 0)"
      + "\(size.isAdaptive ? ",adaptive" : ""))"
  }

  func resultSize(of picture: PixelSize) -> PixelSize { size.canvas(around: picture) }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let canvas = size.canvas(around: image.size)
    if canvas == image.size, !isBehind || image.bitmap.format.alpha == .opaque { return image }
    try work.limits.check(result: canvas, from: image.size, madeBy: cacheKey)
    let background = try background(of: image, canvas, work)
    let (x, y) = ((canvas.width - image.size.width) / 2, (canvas.height - image.size.height) / 2)
    let mode: Bitmap.BlendMode = isBehind || image.bitmap.format.alpha == .opaque ? .normal : .copy
    return Image(try background.overlaid(with: image.bitmap, x: x, y: y, mode: mode, work: work))
  }

  private func background(of image: Image, _ canvas: PixelSize, _ work: WorkContext) throws -> Bitmap {
    switch filling {
    case .blur:
      return try image.bitmap.blurred(radius: Self.deviation, work: work).resized(to: canvas, work: work)
    case .auto:
      // The mean of all pixels is the picture reduced to one.
      let mean = try image.bitmap.resized(to: PixelSize(width: 1, height: 1), filter: .box, work: work)
      var color = mean.pixel(x: 0, y: 0) ?? .white
      color.alpha = 255
      return try Bitmap(size: canvas, format: .opaqueRGBA8).blended(with: color, mode: .normal, work: work)
    }
  }
}
