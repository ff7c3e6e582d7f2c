/// The care with which a picture is made smaller; the raw values are part of cache keys.
///
/// ```swift
/// let options = DecodeOptions(thumbnailSize: PixelSize(width: 320, height: 320), fidelity: .exact)
/// ```
public enum Fidelity: Int, Hashable, Sendable, CaseIterable {
  /// The numbers of sRGB are averaged, which takes the least time and makes fine bright details darker.
  case fast = 0
  /// Light is averaged, of a picture that is decoded at several times the size of the result.
  case faithful = 1
  /// Light is averaged, of the whole picture.
  case exact = 2
}
