import EaselCore
import EaselPixels

extension TransformerPipeline {
  /// A picture that `layers` draws: where it comes from, what is done with it, and how it is blended.
  ///
  /// ```swift
  /// let shade = TransformerPipeline.Layer(.blur(12), opacity: 0.6, mode: .multiply)
  /// let logo = TransformerPipeline.Layer(bitmap, name: "logo", .resize(width: 96), gravity: .southEast)
  /// ```
  public struct Layer: Sendable {
    enum Source: Sendable {
      /// A picture of its own.
      case picture(LayerPicture)
      /// The picture below, with all layers that are drawn already; its colours are nil for sRGB.
      case below(ColorDescription?)
    }

    let source: Source
    let pipeline: TransformerPipeline
    let gravity: Gravity
    let opacity: Double
    let mode: Bitmap.BlendMode

    init(
      _ source: Source, _ pipeline: TransformerPipeline, _ gravity: Gravity, _ opacity: Double,
      _ mode: Bitmap.BlendMode
    ) {
      (self.source, self.pipeline, self.gravity) = (source, pipeline, gravity.betweenBars)
      (self.opacity, self.mode) = (opacity, mode)
    }

    /// A picture of its own, which a pipeline changes before it is drawn.
    ///
    /// In keys, `name` stands for the picture, so different pictures need different names. Of a layer that is larger
    /// than the picture, the part is drawn that the gravity keeps. What the pipeline makes of a picture is made once, as
    /// long as the layer or a copy of it is kept, if it has at most 8 MB.
    public init(
      _ picture: Bitmap, name: String, _ pipeline: TransformerPipeline = .identity, gravity: Gravity = .center,
      opacity: Double = 1, mode: Bitmap.BlendMode = .normal
    ) {
      self.init(.picture(LayerPicture(picture, name: name)), pipeline, gravity, opacity, mode)
    }

    /// The picture below itself, with the layers that are drawn already, changed by a pipeline.
    public init(
      _ pipeline: TransformerPipeline, gravity: Gravity = .center, opacity: Double = 1,
      mode: Bitmap.BlendMode = .normal
    ) {
      self.init(.below(nil), pipeline, gravity, opacity, mode)
    }

    /// True if nothing of it is seen; other modes change what is around transparent pixels too.
    var isInvisible: Bool { opacity == 0 && mode.keepsOpaque }

    /// `{name,gravity,opacity,mode}`, with a dash for the picture below, and with the key of the pipeline if it has one.
    var keyText: String {
      var name = "-"
      if case .picture(let picture) = source { name = KeyText.name(picture.name) }
      let parts = [name, gravity.keyText, KeyText.number(opacity), "\(mode.rawValue)"]
      return "{\((parts + (pipeline.isIdentity ? [] : [pipeline.cacheKey])).joined(separator: ","))}"
    }

    /// The layer as it is drawn over `below`.
    func picture(over below: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
      switch source {
      case .picture(let picture): try picture.made(by: pipeline, work: work)
      case .below(let colors): try LayerPicture.make(below, in: colors, by: pipeline, work: work)
      }
    }

    /// The same layer for a picture with these colours.
    func drawn(in colors: ColorDescription) -> Layer {
      var source = Source.below(colors)
      if case .picture(let picture) = self.source { source = .picture(picture.drawn(in: colors)) }
      return Layer(source, pipeline, gravity, opacity, mode)
    }
  }
}
