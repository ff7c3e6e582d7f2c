import EaselCore

extension TransformerPipeline {
  /// The way a picture is fitted to a size with another aspect ratio; the raw values are part of cache keys.
  public enum ResizeMode: Int, Hashable, Sendable, CaseIterable {
    /// The picture is stretched.
    case fill = 0
    /// The whole picture is shown, centred on transparent bars.
    case aspectFit = 1
    /// The picture covers the whole size, centred; parts outside it are cut off.
    case aspectFill = 2
    /// The picture is enlarged or reduced to fit inside; the result keeps its aspect ratio, without bars.
    case inside = 3
    /// The picture is only reduced, if it does not fit inside; the result keeps its aspect ratio, without bars.
    case insideUnlessSmaller = 4
  }
}
