import EaselCore

/// The estimated processor time for decoding a picture, changing it and encoding it anew.
package struct WorkCost: Hashable, Sendable {
  /// The processor time in nanoseconds, on the machine on which the factors were measured.
  package var nanoseconds: Int
  /// True when an AVIF is encoded, which keeps a processor busy for longer than all other work.
  package var encodesAVIF: Bool

  /// Creates a cost; it is at least one nanosecond.
  package init(nanoseconds: Int, encodesAVIF: Bool = false) {
    self.nanoseconds = max(1, nanoseconds)
    self.encodesAVIF = encodesAVIF
  }

  /// Estimates the cost of work on a picture.
  ///
  /// Leave out the source if its pixels are there already. `sourcePixels` and `resultPixels` are those of one frame.
  /// `effort` is the time for what a file asks for besides pixels, such as the rules of an SVG.
  package init(
    source: ImageFormat? = nil, sourcePixels: Int = 0, resultPixels: Int, frameCount: Int = 1, format: ImageFormat,
    options: EncodeOptions = EncodeOptions(), effort: Duration = .zero
  ) {
    let decoding = source.map { Double(max(0, sourcePixels)) * CostFactors.decoding($0) } ?? 0
    let encoding = Double(max(0, resultPixels)) * (CostFactors.encoding(format, options) + CostFactors.changing)
    let frames = Double(max(1, frameCount))
    // A size in bytes is reached by encoding again with other qualities.
    let attempts = options.maxFileBytes == nil ? 1 : CostFactors.attemptsForASize
    // The header is read first, and then the picture is decoded, which may read all of it again.
    let reading = CostFactors.readings * max(0, effort / .nanoseconds(1))
    let total = CostFactors.fixed + reading + frames * (decoding + encoding * attempts)
    self.init(nanoseconds: Int(min(total, Self.most)), encodesAVIF: format == .avif)
  }

  /// The processor time.
  package var time: Duration { .nanoseconds(nanoseconds) }

  /// The cost as the number of pixels of a JPEG that are decoded in the same time.
  package var pixels: Int { Int(Double(nanoseconds) / CostFactors.decoding(.jpeg)) }

  // A day. It keeps sums of many costs far from an overflow.
  private static let most = 86_400e9
}

/// The processor time per pixel, in nanoseconds.
///
/// The figures were measured on one core of an x86_64 server of 2025 (AMD Zen 5, libraries of Debian 12). Decoding was
/// measured with photos of 12 megapixels: JPEG 29 ms, PNG 132 ms, lossy WebP 105 ms, AVIF 200 ms, HEIC 800 ms; GIF with
/// 60 frames of 480x270 in 36 ms. Encoding was measured with one photo of 4:3 at 512 and at 1280 pixels of width: JPEG of
/// quality 80 1 and 5 ms, WebP of method 2 11 and 73 ms, of method 4 26 and 135 ms, AVIF of speed 9 43 and 236 ms, of
/// speed 8 100 and 434 ms, of speed 6 289 and 1345 ms, of speed 4 1345 and 6458 ms. Where the two widths differ, the
/// dearer one counts. Entries marked as estimates lie between or beyond those figures.
enum CostFactors {
  /// The time for reading a header, for hops between threads and for storing the result.
  static let fixed = 300_000.0
  /// The header is read before the picture.
  static let readings = 2.0
  /// Resizing takes 20 ns for a pixel of the result at a large reduction: 15 ms for 1000x750 pixels of 12 megapixels.
  static let changing = 20.0
  /// An estimate: the search ends after four attempts on average.
  static let attemptsForASize = 4.0

  static func decoding(_ format: ImageFormat) -> Double { decoders[format] ?? unknown }

  static func encoding(_ format: ImageFormat, _ options: EncodeOptions) -> Double {
    switch format {
    case .jpeg: 5
    // An estimate. The level decides how long deflate searches.
    case .png: options.compressionLevel > 6 ? 200 : 60
    // An estimate: most of the time is the search for the best 256 colours.
    case .gif: 80
    case .webp: options.lossless ? 400 : entry(webpMethods, options.settings[.webpMethod] ?? 4)
    case .avif: entry(avifSpeeds, options.settings[.avifSpeed] ?? 8)
    default: decoders[format] == nil ? unknown : 10
    }
  }

  private static func entry(_ table: [Double], _ index: Int) -> Double {
    table[min(max(index, 0), table.count - 1)]
  }

  /// For formats that a plug-in brings.
  private static let unknown = 50.0

  private static let decoders: [ImageFormat: Double] = [
    .jpeg: 2.4, .png: 11, .gif: 5, .webp: 9, .avif: 17, ImageFormat(mimeType: "image/heic"): 67,
    // Estimates: their rows need little work.
    ImageFormat(mimeType: "image/bmp"): 2, ImageFormat(mimeType: "image/qoi"): 4,
    ImageFormat(mimeType: "image/x-portable-anymap"): 2, ImageFormat(mimeType: "image/tiff"): 11,
    ImageFormat(mimeType: "image/vnd.microsoft.icon"): 11,
    // For the surface alone; what is drawn on it is counted by the coder.
    ImageFormat(mimeType: "image/svg+xml"): 5,
  ]
  /// By method; methods 2 and 4 were measured, the others are estimates.
  private static let webpMethods: [Double] = [30, 45, 59, 95, 132, 190, 280]
  /// By speed; speeds 4, 6, 8 and 9 were measured (10 does the same as 9), the others are estimates.
  private static let avifSpeeds: [Double] = [40_000, 25_000, 16_000, 10_500, 6840, 3200, 1470, 870, 509, 219, 219]
}

extension EncodeSetting<Int> {
  // The modules of the coders declare the same names; the service links none of them.
  static var webpMethod: EncodeSetting<Int> { EncodeSetting("webp-method") }
  static var avifSpeed: EncodeSetting<Int> { EncodeSetting("avif-speed") }
}
