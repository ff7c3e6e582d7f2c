import EaselEverything

/// The options of convert that only affect the files of some formats.
enum CodecOptions {
  /// The resolution of the colours, relative to that of the brightness.
  enum Chroma: String, CaseIterable, Sendable {
    case quarter = "420"
    case halfWidth = "422"
    case full = "444"

    var subsampling: EncodeOptions.ChromaSubsampling {
      switch self {
      case .quarter: .quarter
      case .halfWidth: .halfWidth
      case .full: .full
      }
    }
  }

  /// The number of bits of a component.
  enum Depth: String, CaseIterable, Sendable {
    case eight = "8"
    case ten = "10"
    case twelve = "12"
  }

  /// The two answers to a question.
  enum YesOrNo: String, CaseIterable, Sendable {
    case yes
    case no
  }

  private static let qualityScale = Option<QualityScale>.choice(
    "quality-scale", "SCALE",
    "The meaning of --quality: looks, the default, is equally good in all formats, namely as good as a JPEG of this "
      + "quality; library is the number that the library of the format takes.")
  private static let chroma = Option<Chroma>.choice(
    "chroma", "C",
    "The resolution of colours in JPEG and lossy AVIF: 420 for a quarter of the pixels, 422 for half of them, 444 for "
      + "all. The default is 420; of a JPEG it is 444 if the picture needs it, unless --jpeg-effort is 1.")
  private static let speed = Option<Int>.integer(
    "avif-speed", "N", in: 0...10, "The speed at which an AVIF is written: the slower, the smaller. The default is 8.")
  private static let depth = Option<Depth>.choice(
    "avif-depth", "BITS",
    "The bits of a component in an AVIF. The default is 8 for pictures of 8 bits, and for others 10, or 12 without loss."
  )
  private static let alphaQuality = Option<Double>(
    OptionDescription(
      name: "avif-alpha-quality", placeholder: "Q", expectation: WantedQuality.expectedNumber,
      help: "The quality of transparency in a lossy AVIF. The default is the quality of the colours."),
    { WantedQuality.number($0) })

  private static let jpegEffort = Option<Int>.integer(
    "jpeg-effort", "N", in: 1...3,
    "The effort with which a JPEG is written: 1 is the fastest, 2 spends bits where they are seen and is the default, 3 "
      + "writes several passes, too, for the smallest file.")
  private static let restarts = Option<YesOrNo>.choice(
    "jpeg-restarts", "ANSWER",
    "Write a restart marker behind each row of blocks of a JPEG, so that more of a damaged file can be read. The "
      + "default is no.")
  private static let effort = Option<Int>.integer(
    "jxl-effort", "N", in: 1...9,
    "The effort with which a JPEG XL is written: the more, the smaller. The default is 4; from 8 on it takes long.")

  private static let colors = Option<Int>.integer(
    "png-colors", "N", in: 2...256,
    "Write a PNG of at most N colours, which loses colours and is a fraction as large. GIF has 256 at most anyway.")
  private static let pngQuality = Option<ClosedRange<Int>>(
    OptionDescription(
      name: "png-quality", placeholder: "MIN-MAX", expectation: "a quality from 0 to 100, or two as in 60-85",
      help: "Write a PNG with only the colours that the quality MAX needs, and with all of them if 256 colours cannot "
        + "reach MIN. MAX alone is enough."),
    Self.range)
  private static let pngEffort = Option<Int>.integer(
    "png-effort", "N", in: 1...3,
    "The effort with which a PNG is compressed: the more, the smaller and the slower. The default is 1.")

  private static let gifLoss = Option<Int>.integer(
    "gif-loss", "N", in: 0...200,
    "How much a GIF may lose to become smaller: 20 is hardly seen, 200 is obvious. The default is 0.")

  private static let compression = Option<TIFFCompression>.choice(
    "tiff-compression", "C",
    "The compression of a TIFF: deflate, which is the default, lzw, which the oldest readers know as well, or none.")
  private static let predictor = Option<YesOrNo>.choice(
    "tiff-predictor", "ANSWER",
    "Store the differences of neighbours in a compressed TIFF, which are mostly smaller. The default is yes.")

  static let all = [
    qualityScale.description, chroma.description, jpegEffort.description, restarts.description, speed.description,
    depth.description,
    alphaQuality.description, effort.description, colors.description, pngQuality.description, pngEffort.description,
    gifLoss.description, compression.description, predictor.description,
  ]

  /// Reads `85` or `60-85`.
  private static func range(_ text: String) -> ClosedRange<Int>? {
    let bounds = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard let high = bounds.last ?? nil, let low = bounds.count == 2 ? bounds[0] : 0, bounds.count <= 2 else {
      return nil
    }
    return 0 <= low && low <= high && high <= 100 ? low...high : nil
  }

  /// Applies the given options.
  static func apply(_ arguments: Arguments, to options: inout EncodeOptions) throws(UsageError) {
    options.settings[.qualityScale] = try arguments.value(qualityScale)
    if let chroma = try arguments.value(chroma) { options.chromaSubsampling = chroma.subsampling }
    options.settings[.jpegEffort] = try arguments.value(jpegEffort)
    options.settings[.jpegRestarts] = try arguments.value(restarts).map { $0 == .yes }
    options.settings[.avifSpeed] = try arguments.value(speed)
    options.settings[.avifDepth] = try arguments.value(depth).flatMap { Int($0.rawValue) }
    options.settings[.avifAlphaQuality] = try arguments.value(alphaQuality)
    options.settings[.jxlEffort] = try arguments.value(effort)
    let (colors, quality) = (try arguments.value(colors), try arguments.value(pngQuality))
    if colors != nil || quality != nil {
      options.settings[.pngPalette] = PNGPalette(colors: colors ?? 256, quality: quality ?? 0...100)
    }
    options.settings[.pngEffort] = try arguments.value(pngEffort)
    options.settings[.gifLoss] = try arguments.value(gifLoss)
    options.settings[.tiffCompression] = try arguments.value(compression)
    options.settings[.tiffPredictor] = try arguments.value(predictor).map { $0 == .yes }
  }
}
