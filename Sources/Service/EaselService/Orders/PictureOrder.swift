import EaselCore
import EaselTransformers

/// Everything that a URL asks for, in the terms of the pipeline.
///
/// Both grammars of URLs give an order, so that URLs that mean the same share their work and their bytes.
package struct PictureOrder: Sendable {
  /// The kind of answer that is wanted.
  package enum Answer: Hashable, Sendable {
    /// The picture, made as the order says.
    case picture
    /// The original, untouched.
    case original
    /// Facts about the picture as JSON.
    case info
  }

  /// The changes of the pixels.
  package enum Pixels: Sendable {
    /// A recipe with an order of its own; width and pixel ratio may follow the hints of a browser.
    case recipe(PixelRecipe, watermark: WatermarkOrder?)
    /// Steps in the order of the URL.
    case steps([Step])
  }

  /// One change of the pixels.
  package enum Step: Sendable {
    case transform(TransformerPipeline)
    case watermark(WatermarkOrder)
  }

  package var answer = Answer.picture
  /// The source as the URL names it, decoded once: `https://...`, `local:///...`.
  package var source: String
  package var pixels = Pixels.recipe(PixelRecipe(), watermark: nil)

  /// The format; nil if it follows from what the client accepts.
  package var format: ImageFormat?
  /// The quality, 0 to 1; nil for the format's default.
  package var quality: Double?
  /// The qualities for some formats, used if no quality is given.
  package var formatQualities: [ImageFormat: Double] = [:]
  package var maxBytes: Int?
  /// True to keep metadata; nil for the server's default.
  package var keepsMetadata: Bool?
  package var keepsCopyright: Bool?
  /// False to leave the picture as it is stored, whatever its EXIF says.
  package var appliesOrientation = true
  /// True if the URL states a pixel ratio, so that a browser's own does not count.
  package var statesPixelRatio = false
  /// What becomes of a damaged picture; nil for the server's default.
  package var damaged: DamagedPictures?
  /// The formats of originals that go out untouched.
  package var untouchedFormats: Set<ImageFormat> = []
  /// The most frames that are used: 1, or nil for all.
  package var frameCount: Int?
  /// The index of the frame that is used of a moving picture, or of a page.
  package var frame = 0
  static let lastFrame = 1_000_000

  /// The time from which the URL is not valid any more, in seconds since 1970.
  package var expires: Int?
  /// A text that keeps results apart which are otherwise the same.
  package var cacheBuster: String?
  /// The time for which clients may keep the answer, in seconds; nil for the server's.
  package var maxAge: Int?
  /// The name under which a browser stores the picture.
  package var fileName: String?
  package var isAttachment = false
  /// The source of a picture that is sent when this one cannot be had.
  package var fallbackSource: String?

  /// Limits that are lower than those of the server.
  package var limits = Limits()

  package struct Limits: Hashable, Sendable {
    package var sourcePixels: Int?
    package var sourceBytes: Int?
    package var frameCount: Int?
    package var framePixels: Int?
    package var resultSide: Int?
  }

  package init(source: String) {
    self.source = source
  }
}

/// A watermark whose picture must be loaded first.
package struct WatermarkOrder: Hashable, Sendable {
  /// The source of its picture; nil for the server's own watermark.
  package var source: String?
  package var opacity = 1.0
  package var gravity = TransformerPipeline.Gravity.center
  /// The gaps between repeated watermarks; nil to draw one.
  package var gaps: Gaps?
  /// The share of the picture's width and height into which the watermark is fitted; nil for its own size.
  package var scale: Double?

  package struct Gaps: Hashable, Sendable {
    package var x: TransformerPipeline.Length
    package var y: TransformerPipeline.Length
  }

  package init(source: String? = nil) {
    self.source = source
  }
}
