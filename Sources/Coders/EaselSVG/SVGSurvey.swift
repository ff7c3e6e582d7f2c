import CEaselSVG
import EaselCore

/// Estimates the work and the memory that a document asks for, by its text alone.
struct SVGSurvey {
  private let counts: easel_svg_survey

  init(_ xml: ImageBytes) {
    var counts = easel_svg_survey()
    xml.withBytesInMemory { bytes in
      easel_svg_look_over(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &counts)
    }
    self.counts = counts
  }

  /// True if there are letters to be drawn.
  var hasText: Bool { counts.texts > 0 }

  // MARK: Limits

  /// Throws if there are too many elements and rules, or pixels of pictures.
  func check(_ limits: Limits) throws(ImageError) {
    try limits.check(blockCount: Self.sum(counts.elements, counts.rules), claimedBy: "SVG: the file")
    try check(limits, drawing: 0)
  }

  /// Throws if a drawing of so many pixels and the pictures in it are over the limit.
  ///
  /// A picture is there twice for a while: as its decoder and as the drawing wants its pixels.
  func check(_ limits: Limits, drawing pixels: Int) throws(ImageError) {
    let pictures = Int(clamping: counts.picture_pixels)
    let (twice, overflows) = pictures.multipliedReportingOverflow(by: 2)
    guard pictures > 0, overflows || twice > limits.framePixels - pixels else { return }
    throw ImageError(
      .limitExceeded,
      "SVG: the pictures in the file have \(pictures) pixels, which are held twice beside the \(pixels) of the drawing, "
        + "over the limit of \(limits.framePixels) pixels a frame. Raise Limits.framePixels to allow it.")
  }

  /// True if attributes may be longer than libxml2 allows to strangers.
  ///
  /// Without its bounds, entities could multiply, and elements be in each other without end.
  var mayHaveLongValues: Bool {
    counts.bytes > Self.usualLength && !counts.is_unclear && counts.depth < Self.usualDepth
  }

  private static let usualLength: UInt64 = 10_000_000
  private static let usualDepth: UInt64 = 250

  private static func sum(_ first: UInt64, _ second: UInt64) -> Int {
    Int(clamping: first.addingReportingOverflow(second).overflow ? .max : first + second)
  }

  // MARK: Effort

  /// The estimated processor time for reading the document and for drawing it.
  var effort: Duration {
    if counts.is_unclear { return Self.unclear }
    let (elements, uses) = (Double(counts.elements), Double(counts.uses))
    let matching =
      Double(counts.selectors) * elements * Factors.selector
      + Double(counts.descents) * Double(counts.ancestors) * Factors.ancestor
    // Nested drawings may have URLs of their own, whose bytes are those of the URL around them too.
    let bytes = Double(max(counts.bytes, counts.url_bytes) - counts.url_bytes) * Factors.byte
    let nanoseconds =
      bytes + Double(counts.url_bytes) * Factors.byteOfURL + Double(counts.rules) * Factors.rule + matching
      + elements * Factors.element + min(elements * uses, Factors.mostRepeated) * Factors.repeated
      + Double(counts.texts) * Factors.text + Double(counts.effects) * Factors.effect
      + Double(counts.picture_pixels) * Factors.picturePixel
    return .nanoseconds(Int64(min(nanoseconds, 3600e9)))
  }

  /// For a file of which nobody can tell.
  static let unclear = Duration.seconds(2)

  /// Nanoseconds, measured with librsvg 2.54 on one core of the machine of the service's factors (AMD Zen 5).
  ///
  /// A path of 550 KB took 59 ms, 3,000 rectangles 27 ms, 20,000 rules without elements 23 ms, and a million comparisons of
  /// an element with a rule 17 to 40 ms, or 1.5 s where 75 elements around it were looked at.
  private enum Factors {
    static let byte = 100.0
    static let byteOfURL = 10.0
    static let element = 6_000.0
    static let rule = 1_200.0
    /// For each element and each selector.
    static let selector = 40.0
    /// For each element around an element and each selector that looks there.
    static let ancestor = 20.0
    /// An element that is drawn once more; librsvg repeats no more than half a million.
    static let repeated = 2_000.0
    static let mostRepeated = 500_000.0
    static let text = 100_000.0
    /// A filter on a small drawing.
    static let effect = 8_000_000.0
    static let picturePixel = 15.0
  }
}
