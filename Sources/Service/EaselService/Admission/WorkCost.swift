import EaselCore
import EaselFormats
import EaselPixels

/// The estimated processor time for decoding a picture, changing it and encoding it anew.
package struct WorkCost: Hashable, Sendable {
  /// The processor time in nanoseconds, on the machine on which the factors were measured.
  package var nanoseconds: Int
  /// True when an AVIF is encoded, which keeps a processor busy for longer than all other work.
  package var encodesAVIF: Bool
  /// True when a file asks for much work that its pixels do not explain.
  package var isHeavy: Bool

  /// Creates a cost; it is at least one nanosecond.
  package init(nanoseconds: Int, encodesAVIF: Bool = false, isHeavy: Bool = false) {
    self.nanoseconds = max(1, nanoseconds)
    self.encodesAVIF = encodesAVIF
    self.isHeavy = isHeavy
  }

  /// Estimates the cost of work on a picture.
  ///
  /// Leave out the source if its pixels are there already. `sourcePixels` and `resultPixels` are those of one frame.
  /// `effort` is the time for what a file asks for besides pixels before its header is known, such as the rules of an
  /// SVG, and `effortPerFrame` that which the header tells. The cards of `formats` tell what a pixel costs.
  package init(
    source: ImageFormat? = nil, sourcePixels: Int = 0, resultPixels: Int, frameCount: Int = 1, format: ImageFormat,
    options: EncodeOptions = EncodeOptions(), effort: Duration = .zero, effortPerFrame: Duration = .zero,
    formats: FormatCards
  ) {
    let decoding = source.map { Double(max(0, sourcePixels)) * formats.cost(of: $0).decoding } ?? 0
    let cost = formats.cost(of: format)
    var attempt = cost.encoding(options)
    // The file is read again and judged, and often written once more.
    if options.settings[.scoreTarget] != nil {
      attempt = (attempt + cost.decoding + CostFactors.judging) * CostFactors.attemptsForAScore
    }
    let encoding = Double(max(0, resultPixels)) * (attempt + CostFactors.changing)
    let frames = Double(max(1, frameCount))
    // A size in bytes is reached by encoding again with other qualities.
    let attempts = options.maxFileBytes == nil ? 1 : CostFactors.attemptsForASize
    // The header is read first, and then the picture is decoded, which may read all of it again.
    let reading = CostFactors.readings * max(0, effort / .nanoseconds(1))
    let besides = reading + frames * max(0, effortPerFrame / .nanoseconds(1))
    let total = CostFactors.fixed + besides + frames * (decoding + encoding * attempts)
    self.init(
      nanoseconds: Int(min(total, Self.most)), encodesAVIF: format == .avif,
      isHeavy: besides >= CostFactors.heavy && besides > total / 2)
  }

  /// The processor time.
  package var time: Duration { .nanoseconds(nanoseconds) }

  /// The cost as the number of pixels of a JPEG that are decoded in the same time.
  package var pixels: Int { Int(Double(nanoseconds) / CostFactors.pixel) }

  // A day. It keeps sums of many costs far from an overflow.
  private static let most = 86_400e9
}

/// The processor time that work takes whatever the formats, in nanoseconds; ``FormatCost`` has that of each format.
///
/// The figures were measured on one core of an x86_64 server of 2025 (AMD Zen 5, libraries of Debian 12). Decoding was
/// measured with photos of 12 megapixels: JPEG 29 ms, PNG 132 ms, lossy WebP 105 ms, AVIF 200 ms, HEIC 800 ms; GIF with
/// 60 frames of 480x270 in 36 ms. Encoding was measured with one photo of 4:3 at 512 and at 1280 pixels of width: JPEG of
/// quality 80 1 and 5 ms, WebP of method 2 11 and 73 ms, of method 4 26 and 135 ms, AVIF of speed 9 43 and 236 ms, of
/// speed 8 100 and 434 ms, of speed 6 289 and 1345 ms, of speed 4 1345 and 6458 ms. Where the two widths differ, the
/// dearer one counts. The costs of other formats are estimates.
enum CostFactors {
  /// The time for reading a header, for hops between threads and for storing the result.
  static let fixed = 300_000.0
  /// The time for what the pixels do not explain from which on work is heavy.
  static let heavy = 0.5e9
  /// The header is read before the picture.
  static let readings = 2.0
  /// Resizing takes 20 ns for a pixel of the result at a large reduction: 15 ms for 1000x750 pixels of 12 megapixels.
  static let changing = 20.0
  /// An estimate: the search ends after four attempts on average.
  static let attemptsForASize = 4.0
  /// The mean number of attempts to meet a score.
  static let attemptsForAScore = 2.0
  /// The time for the score of a pixel: 30 ms for 2 megapixels on two cores.
  static let judging = 30.0
  /// The time for decoding a pixel of a JPEG, the unit in which metrics tell costs.
  static let pixel = 2.4
}
