import EaselCore

extension TransformerPipeline {
  /// The care with which a picture is resized; the raw values are part of cache keys.
  ///
  /// ```swift
  /// let context: ImageContext = [.transformer(.resize(width: 320, fidelity: .faithful))]
  /// ```
  public enum Fidelity: Int, Hashable, Sendable, CaseIterable {
    /// The numbers of sRGB are averaged, which takes the least time and makes fine bright details darker.
    case fast = 0
    /// Light is averaged, of a picture that is decoded at twice the size at least.
    case faithful = 1
    /// Light is averaged, of the whole picture.
    case exact = 2
  }
}
