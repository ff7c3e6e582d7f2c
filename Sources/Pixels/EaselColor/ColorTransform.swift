import CEaselColor
import EaselCore
import FoundationEssentials

/// Converts colours from one profile to another.
///
/// Creating a transform takes milliseconds. The latest ones are cached, so that pictures with the same profile share a
/// transform. The rendering intent is perceptual, with black point compensation.
public struct ColorTransform: Sendable {
  /// The layout of the pixels that the transform reads.
  public let sourceLayout: ColorTransform.Layout
  /// The layout of the pixels that the transform writes.
  public let destinationLayout: ColorTransform.Layout

  private let handle: ColorTransformHandle

  /// Creates a transform, or finds it in the cache.
  ///
  /// Throws `badImageData` if a profile is broken or is for another kind of pixels; the pixels can still be used
  /// without a conversion.
  public init(
    from source: ColorTransform.Profile, layout sourceLayout: ColorTransform.Layout,
    to destination: ColorTransform.Profile = .sRGB,
    layout destinationLayout: ColorTransform.Layout
  ) throws(ImageError) {
    let recipe = ColorTransformRecipe(
      source: source, sourceLayout: sourceLayout, destination: destination, destinationLayout: destinationLayout)
    handle = try ColorTransformCache.shared.handle(for: recipe)
    self.sourceLayout = sourceLayout
    self.destinationLayout = destinationLayout
  }

  /// True when no colour changes by more than one of 255 levels, as for a picture that is already sRGB.
  ///
  /// If the two layouts are also the same, the pixels need no conversion.
  public var isIdentity: Bool { handle.largestChange <= 257 }

  /// Converts consecutive pixels, such as a row.
  ///
  /// Alpha is straight, and is copied; if the source has none, the pixels become opaque. Source and destination may be
  /// the same memory if their pixels have the same size. Several threads may convert at once.
  public func convert(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) {
    let count = source.count / sourceLayout.bytesPerPixel
    precondition(destination.count >= count * destinationLayout.bytesPerPixel, "The destination is too small.")
    guard count > 0 else { return }
    handle.convert(source.baseAddress!, into: destination.baseAddress!, pixelCount: count)
  }
}
