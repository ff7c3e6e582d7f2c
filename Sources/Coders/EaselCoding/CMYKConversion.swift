import CEaselPixels
import EaselColor
import EaselCore
import FoundationEssentials

/// Converts cyan, magenta, yellow and black to RGB, through the profile if it is usable.
///
/// Without a usable profile, each ink is multiplied with black.
package struct CMYKConversion: Sendable {
  private let transform: ColorTransform?
  private let isInverted: Bool

  /// Creates a conversion; with `isInverted`, the largest value means no ink.
  package init(profile: Data?, isInverted: Bool) throws(ImageError) {
    self.isInverted = isInverted
    do throws(ImageError) {
      transform = try profile.map { profile throws(ImageError) in
        try ColorTransform(from: .icc(profile), layout: isInverted ? .invertedCMYK8 : .cmyk8, layout: .rgba8)
      }
    } catch {
      guard error.code == .badImageData else { throw error }
      transform = nil
    }
  }

  /// Replaces inks with RGBA, which is opaque unless `alpha` gives the alpha of each pixel.
  package func convert(_ pixels: UnsafeMutableRawBufferPointer, alpha: UnsafePointer<UInt8>? = nil) {
    if let transform {
      transform.convert(UnsafeRawBufferPointer(pixels), into: pixels)
    } else {
      easel_cmyk8_to_rgba8(isInverted, pixels.baseAddress, pixels.count / 4)
    }
    if let alpha { easel_set_alpha8(pixels.baseAddress, alpha, pixels.count / 4) }
  }
}
