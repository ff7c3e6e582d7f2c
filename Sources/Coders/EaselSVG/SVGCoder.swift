import EaselCore

/// Draws SVG at the size that is wanted, with librsvg.
///
/// Use it in a sandbox for pictures of strangers: a few lines of SVG can keep a processor busy for minutes, librsvg ends
/// the process at some numbers, such as those of letters of millions of pixels, and it brings a dozen libraries along.
/// Drawing cannot be stopped; only the end of its process stops it. In your process pango prints a warning about letters
/// that are too large, once for each font, because only a program may decide about warnings of that kind; in a sandbox it
/// prints nothing.
///
/// - The size is that of the file in pixels of CSS, 96 to an inch. Without one, or with percentages, it is the size of
///   the `viewBox`, otherwise that of what is drawn, otherwise 300 by 150. Thumbnails are drawn at their own size, and
///   not made from larger ones. Where a transformer makes the picture larger than its file says, it is drawn larger, so
///   that its lines stay sharp.
/// - Nothing beside the file is read: neither pictures nor style sheets nor entities at another address; pictures in
///   `data:` URLs are drawn. Scripts do not run, animations do not move, and HTML inside an SVG is left out.
/// - A file has at most ``EaselCore/Limits/downloadBytes`` of XML, with the pictures in it. It may be packed with gzip
///   (`.svgz`), and then unpacks to no more. It has at most ``EaselCore/Limits/blocks`` elements and rules of style
///   sheets, and its drawing together with twice the pixels of the pictures in it has at most
///   ``EaselCore/Limits/framePixels``.
/// - The fonts are those of the system. A sandbox takes 64 of more: those of the families without a name, such as
///   `serif`, in each style, and then those of other scripts. A family that is not among them is drawn in `sans-serif`.
///
/// SVG is not written.
public struct SVGCoder: DrawingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "svg" }

  /// Only SVG.
  public var formats: [ImageFormat] { [.svg] }

  /// The extensions of SVG files, also of packed ones.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// True: lines have no pixels before they are drawn.
  public func drawsLarger(_ format: ImageFormat) -> Bool { format == .svg }

  /// Returns true if the first element of the XML is an SVG, or may follow after the prefix.
  public func canDecode(prefix: [UInt8]) -> Bool { SVGFile.isSVG(prefix: prefix) }

  /// Reads the file, and draws nothing unless its size is that of what is drawn.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try SVGImage(bytes, work: work).header
  }

  /// Draws the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try SVGImage(bytes, work: work).image(options)
  }
}

extension SVGCoder: EffortEstimatingCoder {
  /// Counts what the text holds: a short one with many rules for many elements can take minutes.
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    do throws(ImageError) {
      return SVGSurvey(try SVGFile(bytes, limits: limits, mostUnpacked: Self.mostUnpacked).xml).effort
    } catch {
      return error.code == .limitExceeded ? SVGSurvey.unclear : nil
    }
  }

  /// A small packed file may hold so much that only a sandbox should unpack it.
  private static let mostUnpacked = 4 << 20
}
