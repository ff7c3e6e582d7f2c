import CEaselSVG
import EaselCore

/// Estimates, from the text alone, how much work and memory a document needs.
struct SVGSurvey {
  private let counts: easel_svg_survey

  init(_ xml: ImageBytes) {
    var counts = easel_svg_survey()
    xml.withBytesInMemory { bytes in
      easel_svg_look_over(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &counts)
    }
    self.counts = counts
  }

  /// True if the drawing contains letters.
  var hasText: Bool { counts.texts > 0 }

  // MARK: Limits

  /// Throws if there are too many elements and rules, or pixels of pictures.
  func check(_ limits: Limits) throws(ImageError) {
    try limits.check(blockCount: Self.sum(counts.elements, counts.rules), claimedBy: "SVG: the file")
    try check(limits, drawing: 0)
  }

  /// Throws if the pixels of the drawing and of its pictures are over the limit.
  ///
  /// Memory holds the pixels of a picture twice for a while: in the form of its decoder and in the form of the drawing.
  func check(_ limits: Limits, drawing pixels: Int) throws(ImageError) {
    let pictures = Int(clamping: counts.picture_pixels)
    let (twice, overflows) = pictures.multipliedReportingOverflow(by: 2)
    guard pictures > 0, overflows || twice > limits.framePixels - pixels else { return }
    throw ImageError(
      .limitExceeded,
      "SVG: the pictures in the file have \(pictures) pixels, which are held twice beside the \(pixels) of the drawing, "
        + "over the limit of \(limits.framePixels) pixels a frame. Raise Limits.framePixels to allow it.")
  }

  /// True if attributes may be longer than libxml2 allows for untrusted documents.
  ///
  /// Without the limits of libxml2, entities could multiply, and elements could be nested without end.
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
    // A nested drawing in a URL may contain URLs too, whose bytes are also bytes of the outer URL.
    let bytes = Double(max(counts.bytes, counts.url_bytes) - counts.url_bytes) * Factors.byte
    let nanoseconds =
      bytes + Double(counts.url_bytes) * Factors.byteOfURL + Double(counts.rules) * Factors.rule + matching
      + elements * Factors.element + min(elements * max(uses, copies), Factors.mostRepeated) * Factors.repeated
      + Double(counts.texts) * Factors.text + Double(counts.effects) * Factors.effect
      + Double(counts.picture_pixels) * Factors.picturePixel
    return .nanoseconds(Int64(min(nanoseconds, 3600e9)))
  }

  /// The most times that an element may be drawn again because references in repeated parts multiply.
  ///
  /// So many references make the most copies if three of them stand on each level.
  private var copies: Double {
    let levels = min(counts.nested_references / Factors.referencesALevel, Factors.mostLevels)
    return levels == 0 ? 0 : (0..<levels).reduce(1) { copies, _ in copies * Double(Factors.referencesALevel) }
  }

  /// The effort of a file that cannot be estimated.
  static let unclear = Duration.seconds(2)

  /// Factors in nanoseconds, measured with librsvg 2.54 on one core of the machine of the service's factors (AMD Zen
  /// 5).
  ///
  /// A path of 550 KB took 59 ms, 3,000 rectangles 27 ms, 20,000 rules without elements 23 ms. A million comparisons of
  /// an element with a rule took 17 to 40 ms, or 1.5 s if each also examined 75 enclosing elements.
  private enum Factors {
    static let byte = 100.0
    static let byteOfURL = 10.0
    static let element = 6_000.0
    static let rule = 1_200.0
    /// The time for each pair of an element and a selector.
    static let selector = 40.0
    /// The time for each enclosing element of an element and each selector that examines it.
    static let ancestor = 20.0
    /// The time for drawing an element once more; librsvg repeats at most half a million elements.
    static let repeated = 2_000.0
    static let mostRepeated = 500_000.0
    static let referencesALevel: UInt64 = 3
    static let mostLevels: UInt64 = 30
    static let text = 100_000.0
    /// The time for a filter on a small drawing.
    static let effect = 8_000_000.0
    static let picturePixel = 15.0
  }
}
