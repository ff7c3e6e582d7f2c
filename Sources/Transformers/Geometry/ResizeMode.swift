import EaselCore

// The recipe, the program and URLs use the same words, which are those of imgproxy and CSS.

extension TransformerPipeline {
  /// The way a picture is fitted to a size with another aspect ratio; the raw values are part of cache keys.
  public enum ResizeMode: Int, Hashable, Sendable, CaseIterable {
    /// The picture gets exactly this size, and is stretched to it.
    case force = 0
    /// The whole picture is shown between transparent bars, in the middle unless a gravity says otherwise.
    case pad = 1
    /// The picture covers the whole size; parts outside it are cut off, equally unless a gravity says otherwise.
    case fill = 2
    /// The picture is enlarged or reduced to fit inside; the result keeps its aspect ratio, without bars.
    case fit = 3
    /// The picture is only reduced, if it does not fit inside; the result keeps its aspect ratio, without bars.
    case scaleDown = 4
  }
}

/// The former names. `aspectFill` is now `fill`, and the former `fill` is now `force`.
extension TransformerPipeline.ResizeMode {
  /// The former name of the mode with bars.
  @available(*, deprecated, renamed: "pad", message: "The whole picture between bars is pad; without bars it is fit.")
  public static var aspectFit: Self { .pad }
  /// The former name of the mode that covers the size.
  @available(*, deprecated, renamed: "fill", message: "A picture that covers the size is fill; stretched it is force.")
  public static var aspectFill: Self { .fill }
  /// The former name of the mode that fits inside.
  @available(*, deprecated, renamed: "fit", message: "A picture that fits inside, without bars, is fit.")
  public static var inside: Self { .fit }
  /// The former name of the mode that only reduces.
  @available(*, deprecated, renamed: "scaleDown", message: "A picture that fits inside and never grows is scaleDown.")
  public static var insideUnlessSmaller: Self { .scaleDown }
}
