import EaselCore

/// Draws SVG at the wanted size, with librsvg.
///
/// Use the coder in a sandbox for pictures of strangers. A few lines of SVG can keep a processor busy for minutes.
/// librsvg ends the process at some numbers, such as those of letters of millions of pixels, and it needs a dozen other
/// libraries. Drawing cannot be stopped; only the end of its process stops it. Outside a sandbox, pango prints a
/// warning about letters that are too large, once for each font, because only a program may decide about this kind of
/// warning. In a sandbox, pango prints nothing.
///
/// - The size is the size that the file states in pixels of CSS, 96 to an inch. Without a stated size, or with
///   percentages, it is the size of the `viewBox`, otherwise the size of the drawn content, otherwise 300 by 150.
///   Thumbnails are drawn at their own size, and not made from larger pictures. If a transformer enlarges the picture
///   beyond its stated size, the picture is drawn larger, so that its lines stay sharp.
/// - The coder reads only the file itself, and no pictures, style sheets or entities at other addresses. Pictures in
///   `data:` URLs are drawn. Scripts do not run, animations do not move, and HTML inside an SVG is left out.
/// - A file has at most ``EaselCore/Limits/downloadBytes`` of XML, including its pictures. It may be packed with gzip
///   (`.svgz`), and the limit also applies to the unpacked XML. A file has at most ``EaselCore/Limits/blocks`` elements
///   and rules of style sheets. The pixels of its drawing, plus twice the pixels of its pictures, are at most
///   ``EaselCore/Limits/framePixels``.
/// - The fonts are those of the system. If the system has more than 64, a sandbox takes 64: first the fonts of the
///   generic families, such as `serif`, in each style, and then fonts of other scripts. Text in any other family is
///   drawn in `sans-serif`.
///
/// SVG is not written.
public struct SVGCoder: DrawingCoder, FileNamingCoder {
  /// Needs no settings; what one load wants is in its options.
  public init() {}

  /// The coder's name in cache keys.
  public var identifier: String { "svg" }

  /// Only SVG.
  public var formats: [ImageFormat] { [.svg] }

  /// The extensions of SVG files, including packed files.
  public func fileExtensions(of format: ImageFormat) -> [String] { Self.card.fileExtensions }

  /// True for SVG, because lines have no pixels before they are drawn.
  public func drawsLarger(_ format: ImageFormat) -> Bool { format == .svg }

  /// Returns true if the first element of the XML is an SVG, or if it may still be one after the prefix.
  public func canDecode(prefix: [UInt8]) -> Bool { SVGFile.isSVG(prefix: prefix) }

  /// Reads the file, and draws it only if its size is the size of the drawn content.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try SVGImage(bytes, work: work).header
  }

  /// Draws the picture.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try SVGImage(bytes, work: work).image(options)
  }
}

extension SVGCoder: EffortEstimatingCoder {
  /// Estimates the effort from the content of the text: a short text with many rules for many elements can take
  /// minutes.
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    do throws(ImageError) {
      return SVGSurvey(try SVGFile(bytes, limits: limits, mostUnpacked: Self.mostUnpacked).xml).effort
    } catch {
      return error.code == .limitExceeded ? SVGSurvey.unclear : nil
    }
  }

  /// The most XML that is unpacked outside a sandbox; a small packed file may contain far more.
  private static let mostUnpacked = 4 << 20
}
