import EaselCoding
import EaselCore
import EaselPixels

/// The scale at which the library decodes, in eighths of the stored size.
struct JPEGScale: Hashable {
  /// Only these scales are fast; the others take as long as decoding at full size.
  private static let candidates = [1, 2, 4]

  let eighths: Int

  static let full = JPEGScale(eighths: 8)

  /// The smallest scale that leaves as many pixels as the finish needs.
  static func forReducing(_ size: PixelSize, as finish: ImageFinish) -> JPEGScale {
    finish.sufficientSize == finish.storedTarget
      ? forReducing(size, to: finish.storedTarget) : covering(finish.sufficientSize, of: size)
  }

  /// The smallest scale that leaves enough pixels for a picture of the target's size, if speed counts most.
  static func forReducing(_ size: PixelSize, to target: PixelSize) -> JPEGScale {
    guard size != target else { return .full }
    // At one and a half times the sides of the target, the final filter decides how the picture looks, and not the
    // library's scaling.
    return smallest(of: size) { 2 * $0.width >= 3 * target.width && 2 * $0.height >= 3 * target.height }
  }

  /// The smallest scale at which the picture is at least `least`.
  static func covering(_ least: PixelSize, of size: PixelSize) -> JPEGScale {
    smallest(of: size) { $0.width >= least.width && $0.height >= least.height }
  }

  /// The size of a picture at this scale.
  func applied(to size: PixelSize) -> PixelSize {
    PixelSize(width: (size.width * eighths + 7) / 8, height: (size.height * eighths + 7) / 8)
  }

  /// The part of the scaled pixels that the picture covers; the last row and column may reach beyond it.
  func box(of size: PixelSize) -> RowResampler.Box {
    RowResampler.Box(
      x: 0, y: 0, width: Double(size.width * eighths) / 8, height: Double(size.height * eighths) / 8)
  }

  private static func smallest(of size: PixelSize, where isEnough: (PixelSize) -> Bool) -> JPEGScale {
    candidates.map(JPEGScale.init).first { isEnough($0.applied(to: size)) } ?? .full
  }
}
