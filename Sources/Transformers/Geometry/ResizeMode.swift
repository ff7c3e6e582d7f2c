import EaselCore

extension TransformerPipeline {
  /// The way a picture is fitted to a size with another aspect ratio; the raw values are part of cache keys.
  public enum ResizeMode: Int, Hashable, Sendable, CaseIterable {
    /// The picture is stretched.
    case fill = 0
    /// The whole picture is shown between transparent bars, in the middle unless a gravity says otherwise.
    case aspectFit = 1
    /// The picture covers the whole size; parts outside it are cut off, equally unless a gravity says otherwise.
    case aspectFill = 2
    /// The picture is enlarged or reduced to fit inside; the result keeps its aspect ratio, without bars.
    case inside = 3
    /// The picture is only reduced, if it does not fit inside; the result keeps its aspect ratio, without bars.
    case insideUnlessSmaller = 4
  }
}
