import CEaselColor
import EaselCore
import FoundationEssentials

/// Turns colours that follow one profile into those of another.
///
/// Making one takes milliseconds; the latest ones are kept, so that pictures with the same profile share theirs. The
/// intent is perceptual, with black point compensation.
public struct ColorTransform: Sendable {
  /// The layout that it reads.
  public let sourceLayout: ColorLayout
  /// The layout that it writes.
  public let destinationLayout: ColorLayout

  private let handle: ColorTransformHandle

  /// Creates a transform, or finds the one that was made before.
  ///
  /// A profile that is broken, or was made for another kind of pixels, throws `badImageData`; the pixels can still be
  /// used as they are.
  public init(
    from source: ColorProfile, layout sourceLayout: ColorLayout, to destination: ColorProfile = .sRGB,
    layout destinationLayout: ColorLayout
  ) throws(ImageError) {
    let recipe = ColorTransformRecipe(
      source: source, sourceLayout: sourceLayout, destination: destination, destinationLayout: destinationLayout)
    handle = try ColorTransformCache.shared.handle(for: recipe)
    self.sourceLayout = sourceLayout
    self.destinationLayout = destinationLayout
  }

  /// Whether no colour changes by more than one of 255 levels, as with a picture that is in sRGB already.
  ///
  /// Where both layouts are the same too, the pixels may be left alone.
  public var isIdentity: Bool { handle.largestChange <= 257 }

  /// Converts pixels that lie one after another, such as a row.
  ///
  /// Alpha is straight and copied; where the source has none, it becomes opaque. Both may be the same memory where
  /// their pixels are of the same size. Several threads may convert at once.
  public func convert(_ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer) {
    let count = source.count / sourceLayout.bytesPerPixel
    precondition(destination.count >= count * destinationLayout.bytesPerPixel, "The destination is too small.")
    guard count > 0 else { return }
    handle.convert(source.baseAddress!, into: destination.baseAddress!, pixelCount: count)
  }
}
