import Easel

/// The options that determine how pictures are converted.
enum ConversionOptions {
  private static let format = Option<WantedFormat>(
    OptionDescription(
      name: CommonOptions.format.description.name, placeholder: "NAME",
      expectation: "the name of a format that is written, such as png or jpeg, or several between commas, or best",
      help:
        "The format to write, whatever the name of the file says. Of several, as in avif,jpeg, the smallest file is "
        + "kept; best means avif,webp,jpeg,png. As qualities look equally good in all formats, and scores do, it looks "
        + "no worse than the others. Such a result needs a folder, or a name with {ext}.",
      completion: .words(FormatNames.writtenNames + [WantedFormat.bestName]))
  ) { WantedFormat(reading: $0) }
  private static let lossless = Option<Bool>.flag(
    "lossless", "Write without loss, in formats that can be lossy or lossless.")
  private static let maxBytes = Option<Int>.bytes(
    "max-bytes", "Make the file no larger than this: lower the quality first, and then make the picture smaller.")
  private static let keepMetadata = Option<Bool>.flag(
    "keep-metadata",
    "Keep EXIF and XMP. Without this option only the colour profile is kept, if the pixels still follow it.")
  private static let keepCopyright = Option<Bool>.flag(
    "keep-copyright", "Keep the artist and the copyright of EXIF, also without --keep-metadata.")
  private static let keepRange = Option<Bool>.flag(
    "keep-range",
    "Keep the range of pictures in PQ and HLG, as 16 bits with code points in PNG. Without this option they are mapped to "
      + "the range of sRGB.")
  private static let keepDepth = Option<Bool>.flag(
    "keep-depth",
    "Keep more than 8 bits of a component, in formats that store them: PNG, TIFF, PNM, JPEG XL and AVIF. Without this "
      + "option pictures are written with 8.")
  private static let firstFrame = Option<Bool>.flag("first-frame", "Write only the first frame of a moving picture.")
  private static let progressive = Option<Bool>.flag(
    "progressive", "Write a progressive JPEG, which appears coarse first and then fine.")
  private static let background = Option<PixelColor>(
    OptionDescription(
      name: "background", placeholder: "COLOR", expectation: "a colour such as white, black or #ff8800",
      help: "The colour behind transparent pixels in formats without transparency. The default is white.",
      completion: .words(["white", "black"]))
  ) { PixelColor(reading: $0) }

  static let all =
    TransformerOptions.all + [
      CommonOptions.quality.description, lossless.description, maxBytes.description, background.description,
      keepMetadata.description, keepCopyright.description, keepRange.description, keepDepth.description,
      firstFrame.description, progressive.description,
    ] + CodecOptions.all + [
      format.description, CommonOptions.damaged.description, CommonOptions.maxPixels.description,
    ] + SandboxOptions.all

  /// The conversion that the arguments ask for.
  ///
  /// `named` is the format that the name of the output implies. An option or a replayed key may name another format.
  static func conversion(_ arguments: Arguments, named: ImageFormat?) throws(UsageError) -> Conversion {
    var settings = KeyReplay.Settings()
    var conversion = Conversion(coder: try SandboxOptions.use(arguments).coders)
    conversion.transformer = try TransformerOptions.pipeline(arguments, &settings)
    conversion.decodeOptions = settings.decodeOptions
    if let damaged = try arguments.value(CommonOptions.damaged) { conversion.decodeOptions.damaged = damaged }
    if arguments.has(keepRange) { conversion.decodeOptions.keepsHighRange = true }
    if arguments.has(keepDepth) { conversion.decodeOptions.keeps16Bits = true }
    conversion.limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    let wanted = try arguments.value(format)
    conversion.candidates = wanted.map { $0.only == nil ? $0.formats : [] } ?? []
    conversion.format = wanted == nil ? settings.recipe?.formats.first ?? named : wanted?.only
    if let recipe = settings.recipe {
      try refuseOptionsBeside(recipe, arguments)
      conversion.encodeOptions = recipe.options
      return conversion
    }
    // Options that are not given keep their defaults, with which the result may be the input's own bytes.
    try CommonOptions.applyQuality(arguments, to: &conversion.encodeOptions)
    if arguments.has(lossless) { conversion.encodeOptions.lossless = true }
    conversion.encodeOptions.maxFileBytes = try arguments.value(maxBytes)
    conversion.encodeOptions.keepsMetadata = arguments.has(keepMetadata)
    conversion.encodeOptions.keepsCopyright = arguments.has(keepCopyright)
    conversion.encodeOptions.firstFrameOnly = arguments.has(firstFrame)
    if arguments.has(progressive) { conversion.encodeOptions.progressive = true }
    try CodecOptions.apply(arguments, to: &conversion.encodeOptions)
    conversion.encodeOptions.backgroundColor = try arguments.value(background) ?? .white
    return conversion
  }

  /// Refuses several formats where names of results do not follow from the format.
  static func checkOneFormat(_ conversion: Conversion) throws(UsageError) {
    guard conversion.candidates.isEmpty else {
      throw UsageError(
        "--format names several formats, so the name of a result must follow from its format: give --output a folder, or "
          + "a name such as '{name}.{ext}'.")
    }
  }

  /// Refuses options that a replayed key already contains.
  private static func refuseOptionsBeside(_ recipe: EncodeRecipe, _ arguments: Arguments) throws(UsageError) {
    let stated =
      [
        CommonOptions.quality.description, lossless.description, maxBytes.description, keepMetadata.description,
        keepCopyright.description,
        firstFrame.description, progressive.description, background.description, format.description,
      ] + CodecOptions.all
    for option in stated where arguments.options.contains(where: { $0.name == option.name }) {
      throw UsageError("--\(option.name) does not go with a key that ends in Encode(...), which says it already.")
    }
  }
}
