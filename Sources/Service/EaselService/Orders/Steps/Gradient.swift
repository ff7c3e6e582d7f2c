import EaselCore
import EaselPixels
import Glibc

/// Draws a colour over a picture that grows from nothing to its own opacity.
struct Gradient: Transformer, Hashable {
  /// The colour, whose alpha is reached at ``stop``.
  var color: PixelColor
  /// The direction in which the colour grows, clockwise in degrees; 0 is down.
  var angle = 0.0
  /// The share of the way at which the colour begins.
  var start = 0.0
  /// The share of the way from which on the colour has its opacity.
  var stop = 1.0

  /// `Gradient({red,green,blue,alpha},angle,start,stop)`.
  var cacheKey: String {
    "Gradient({\(color.red),\(color.green),\(color.blue),\(color.alpha)},\(angle),\(start),\(stop))"
  }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    let layer = try layer(of: image.size, work)
    return Image(try image.bitmap.overlaid(with: layer, x: 0, y: 0, work: work))
  }

  /// The colour on a picture of this size.
  private func layer(of size: PixelSize, _ work: WorkContext) throws -> Bitmap {
    var layer = try Bitmap(size: size, format: .rgba8)
    let radians = angle * .pi / 180
    // Sines and cosines of quarter turns are not exactly 0.
    let (dx, dy) = (((-sin(radians)) * 1e9).rounded() / 1e9, (cos(radians) * 1e9).rounded() / 1e9)
    let (width, height) = (Double(size.width), Double(size.height))
    let length = abs(dx) * width + abs(dy) * height
    let (color, bytesPerRow) = (color, layer.bytesPerRow)
    let opacity = Double(color.alpha)
    try layer.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        if y % 64 == 0 { try work.checkCancellation() }
        for x in 0..<size.width {
          let way = (Double(x) + 0.5 - width / 2) * dx + (Double(y) + 0.5 - height / 2) * dy
          let alpha = opacity * part(way / length + 0.5)
          let place = y * bytesPerRow + 4 * x
          (bytes[place], bytes[place + 1], bytes[place + 2]) = (color.red, color.green, color.blue)
          bytes[place + 3] = UInt8(alpha.rounded())
        }
      }
    }
    return layer
  }

  /// The part of the opacity at a share of the way.
  private func part(_ share: Double) -> Double {
    stop > start ? min(1, max(0, (share - start) / (stop - start))) : share >= start ? 1 : 0
  }
}
