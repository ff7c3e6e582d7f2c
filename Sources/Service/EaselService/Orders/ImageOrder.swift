import EaselCore
import EaselPixels
import EaselTransformers

/// Everything that a URL asks for, in the terms of the pipeline.
///
/// All grammars of URLs give an order, so that URLs that mean the same share their work and their bytes.
///
/// ```swift
/// var order = ImageOrder(source: "https://example.com/cat.jpg")
/// order.recipe.width = 320
/// order.format = .webp
/// ```
public struct ImageOrder: Sendable {
  /// The kind of answer that is wanted.
  public enum Content: Hashable, Sendable {
    /// The picture, made as the order says.
    case picture
    /// The original, untouched.
    case original
    /// Facts about the picture as JSON.
    case info
    /// The text of ``ImageOrder/document``.
    case document
    /// The answer 303 that leads to a path after the grammar's prefix.
    case redirect(String)
  }

  /// The changes of the pixels.
  package enum Pixels: Sendable {
    /// A recipe with an order of its own; width and pixel ratio may follow the hints of a browser.
    case recipe(PixelRecipe, watermark: WatermarkOrder?)
    /// Recipes of which each works on the result of the one before.
    case chain([Link])
    /// Steps in the order of the URL.
    case steps([Step])
  }

  /// One change of the pixels.
  package enum Step: Sendable {
    case transform(TransformerPipeline)
    case watermark(WatermarkOrder)
  }

  /// One recipe of a chain.
  package struct Link: Sendable {
    package var recipe: PixelRecipe
    package var watermark: WatermarkOrder?
  }

  /// The wish for a PNG of few colours.
  package struct Palette: Hashable, Sendable {
    package var colors = 256
    package var quality = 0...100

    /// The text of the setting, which the service knows without the coder.
    var text: String { "\(colors)\(quality == 0...100 ? "" : "/\(quality.lowerBound)-\(quality.upperBound)")" }
  }

  /// The kind of answer; a picture unless something else is set.
  public var answer = Content.picture
  /// The source as the URL names it, decoded once: `https://...`, `local:///...`.
  public var source: String
  package var pixels = Pixels.recipe(PixelRecipe(), watermark: nil)
  /// The care with which the picture becomes smaller; nil for the server's.
  public var fidelity: Fidelity?

  /// The part of the upright picture that stands for the whole; nil for all of it.
  ///
  /// Nothing else is decoded where the format of the original allows it. What the recipe does, it does with this part.
  /// The order that ``completion`` returns sets it, because it knows the size.
  public var region: PixelRect?
  /// Makes the final order once the size of the upright picture is known; nil if this order needs no size.
  ///
  /// An error thrown here is the answer. Equal orders must come out for equal sizes.
  public var completion: (@Sendable (PixelSize) throws(ServiceError) -> ImageOrder)?
  /// The size of the upright picture, once it is known.
  var regionSize: PixelSize?
  /// The size that is made of the part before it is turned; nil if it follows from the recipe.
  var partSize: PixelSize?
  /// The size that is made of the part before it is turned; nil if all of its pixels are needed.
  var regionTarget: PixelSize? {
    if let partSize { return partSize }
    guard case .recipe(let recipe, _) = pixels, recipe.width > 0, recipe.height > 0, recipe.pixelRatio == 1,
      recipe.turn.isIdentity
    else { return nil }
    return PixelSize(width: recipe.width, height: recipe.height)
  }
  /// The text that goes out if ``answer`` is a document.
  public var document: PictureDocument?
  /// The path after the grammar's prefix under which this picture is known, for a `Link` field; nil for none.
  public var canonicalPath: String?
  /// The address of what the grammar promises, for a `Link` field with the relation `profile`; nil for none.
  public var profile: String?
  /// True if the client is led to the source when the picture cannot be made.
  public var redirectsOnFailure = false

  /// The format; nil if it follows from what the client accepts.
  public var format: ImageFormat?
  /// The quality, 0 to 1; nil for the format's default.
  public var quality: Double?
  /// The qualities for some formats, used if no quality is given.
  package var formatQualities: [ImageFormat: Double] = [:]
  /// The score that the file is to have, whatever the quality says; nil for none.
  package var scoreTarget: ScoreTarget?
  /// True if the smallest file counts among those of all formats that the client reads.
  package var takesSmallest = false
  package var maxBytes: Int?
  /// The wishes of the URL for the files of some formats.
  package var tunings: [ImageFormat: Tuning] = [:]
  /// True to keep 16 bits of each component where the original has them.
  package var keeps16Bits = false
  /// True to keep metadata; nil for the server's default.
  public var keepsMetadata: Bool?
  package var keepsCopyright: Bool?
  /// False to leave the picture as it is stored, whatever its EXIF says.
  package var appliesOrientation = true
  /// True if the URL states a pixel ratio, so that a browser's own does not count.
  package var statesPixelRatio = false
  /// The treatment of a damaged picture; nil for the server's default.
  package var damaged: DamagePolicy?
  /// The formats of originals that go out untouched.
  package var untouchedFormats: Set<ImageFormat> = []
  /// The formats of originals that go out untouched, as far as the URL wants no other format.
  package var passedFormats: Set<ImageFormat> {
    format.map { untouchedFormats.intersection([$0]) } ?? untouchedFormats
  }
  /// The most frames that are used: 1, or nil for all.
  public var frameCount: Int?
  /// The index of the frame that is used of a moving picture, or of a page.
  package var frame = 0
  static let lastFrame = 1_000_000

  /// The time from which the URL is not valid any more, in seconds since 1970.
  public var expires: Int?
  /// A text that keeps results apart which are otherwise the same.
  package var cacheBuster: String?
  /// The tags by which the result can be purged, here and in caches on the way to the client.
  package var cacheTags: [String] = []
  /// The time for which clients may keep the answer, in seconds; nil for the server's.
  public var maxAge: Int?
  /// The name under which a browser stores the picture.
  public var fileName: String?
  package var isAttachment = false
  /// The source of a picture that is sent when this one cannot be had.
  package var fallbackSource: String?

  /// The hash that the original must have.
  package var hashsum: Hashsum?

  /// Limits that are lower than those of the server.
  package var limits = Limits()

  package struct Limits: Hashable, Sendable {
    package var sourcePixels: Int?
    package var sourceBytes: Int?
    package var frameCount: Int?
    package var framePixels: Int?
    package var resultSide: Int?
  }

  /// Creates an order for the picture as it is, in a format that the client accepts.
  public init(source: String) {
    self.source = source
  }

  /// The changes of the pixels, in an order of their own.
  ///
  /// Setting it replaces all other changes.
  public var recipe: PixelRecipe {
    get { if case .recipe(let recipe, _) = pixels { recipe } else { PixelRecipe() } }
    set {
      if case .recipe(_, let watermark) = pixels {
        pixels = .recipe(newValue, watermark: watermark)
      } else {
        pixels = .recipe(newValue, watermark: nil)
      }
    }
  }

  /// The key of all changes of the pixels, without the pictures of watermarks; equal orders have equal keys.
  ///
  /// Throws if the recipe makes no sense.
  public func pixelKey() throws(ServiceError) -> String {
    let part = region.map { "\($0.x),\($0.y),\($0.width),\($0.height) " } ?? ""
    return part + (try pipelineWithoutWatermarks().cacheKey)
  }
}

/// A watermark whose picture must be loaded first.
package struct WatermarkOrder: Hashable, Sendable {
  /// The source of its picture; nil for the server's own watermark.
  package var source: String?
  /// The text that is drawn in place of a picture, in the markup of pango.
  package var text: String?
  package var opacity = 1.0
  package var gravity = TransformerPipeline.Gravity.center
  /// The gaps between repeated watermarks; nil to draw one.
  package var gaps: Gaps?
  /// The places of watermarks that are spread evenly, as many as find room; nil to follow the gravity and the gaps.
  var spread: SpreadWatermark.Places?
  /// The shares of the picture's sides into which the watermark is fitted; nil for its own size.
  package var scale: Scale?
  /// The box into which the watermark is fitted before it is drawn; a side of 0 follows from the other one.
  package var box: PixelSize?
  /// The angle by which the watermark is turned clockwise, in degrees.
  package var angle = 0.0
  /// The standard deviation of the shadow below the watermark; 0 for none.
  package var shadow = 0.0
  /// True for a frame in nine parts around the picture, which has no place of its own.
  package var isFrame = false

  package struct Scale: Hashable, Sendable {
    /// The share of the width; 0 if the width follows from the height.
    package var x: Double
    /// The share of the height; 0 if the height follows from the width.
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    package init(_ share: Double) { self.init(x: share, y: share) }
  }

  package struct Gaps: Hashable, Sendable {
    package var x: TransformerPipeline.Length
    package var y: TransformerPipeline.Length
  }

  package init(source: String? = nil) {
    self.source = source
  }
}
