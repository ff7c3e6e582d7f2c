import Easel

/// Writes a picture in another format or size, or with other changes.
struct ConvertCommand: Command {
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

  static let description = CommandDescription(
    name: "convert", summary: "Write a picture in another format, size or look.", operands: .oneInput,
    details: [
      "The extension of the output file says which format is written. Moving pictures stay moving if the format can. "
        + "Options that change the picture are applied in the order in which they are given.",
      "A picture that has the format already and is not changed keeps its bytes, unless an option says how to encode "
        + "it, such as --quality, --lossless, --progressive or --chroma.",
    ],
    options: [CommonOptions.output.description] + TransformerOptions.all + [
      CommonOptions.quality.description, lossless.description, maxBytes.description, background.description,
      keepMetadata.description, keepCopyright.description, keepRange.description, keepDepth.description,
      firstFrame.description, progressive.description,
    ] + CodecOptions.all + [
      CommonOptions.format.description, CommonOptions.damaged.description, CommonOptions.maxPixels.description,
      CommonOptions.json.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel convert photo.jpg -o photo.png", "Write another format."),
      .init("easel convert photo.jpg --resize 300 -o small.jpg", "Make it as large as fits into 300 by 300 pixels."),
      .init(
        "easel convert photo.jpg --resize 1200x0 --quality 0.7 -o web.jpg",
        "Make it 1200 pixels wide, at a lower quality."),
      .init(
        "easel convert photo.jpg --resize 400 --mode fill --round 200 -o face.png",
        "Cut out a square and make it round."),
      .init("easel convert photo.jpg --max-bytes 200k -o mail.jpg", "Write the best quality that fits in 200 kB."),
      .init(
        "easel convert in.png --transform 'Resize({320,0},0)-Blur(2)' -o out.png",
        "Repeat the steps in a key of 'easel cache list'."),
      .init(
        "easel convert photo.jpg --resize 800x600 --mode fill --dpr 2 --watermark logo.png --watermark-scale 0.2 -o "
          + "card.webp", "Fill a card on a fine screen, with a logo in the corner."),
      .init(
        "easel convert photo.png --quality 63 --avif-speed 6 --chroma 444 -o photo.avif",
        "Take more time for a smaller AVIF with all colours."),
      .init(
        "easel convert photo.png --tiff-compression lzw -o print.tif", "Write a TIFF that the oldest programs read."),
      .init("easel convert scan.tif --keep-depth -o scan.png", "Keep the 16 bits of a scan."),
      .init("easel convert - --format png -o - < in.gif > out.png", "Convert in a pipe."),
    ])

  private let input: String
  private let output: String
  private let isJSON: Bool
  private let conversion: Conversion

  init(_ arguments: Arguments) throws(UsageError) {
    input = arguments.operands[0]
    guard let output = try arguments.value(CommonOptions.output) else {
      throw UsageError("convert needs --output FILE to know where and what to write.")
    }
    self.output = output
    isJSON = arguments.has(CommonOptions.json)
    var settings = KeyReplay.Settings()
    var conversion = Conversion(coder: try SandboxOptions.use(arguments).coders)
    conversion.transformer = try TransformerOptions.pipeline(arguments, &settings)
    conversion.decodeOptions = settings.decodeOptions
    if let damaged = try arguments.value(CommonOptions.damaged) { conversion.decodeOptions.damaged = damaged }
    if arguments.has(Self.keepRange) { conversion.decodeOptions.keepsHighRange = true }
    if arguments.has(Self.keepDepth) { conversion.decodeOptions.keeps16Bits = true }
    conversion.limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    conversion.format = try Self.format(arguments, output, settings.recipe)
    if let recipe = settings.recipe {
      try Self.refuseOptionsBeside(recipe, arguments)
      conversion.encodeOptions = recipe.options
      self.conversion = conversion
      return
    }
    // An option that is not given has its default, for which the input's own bytes may stand.
    if let quality = try CommonOptions.quality(arguments) { conversion.encodeOptions.quality = quality }
    if arguments.has(Self.lossless) { conversion.encodeOptions.lossless = true }
    conversion.encodeOptions.maxFileBytes = try arguments.value(Self.maxBytes)
    conversion.encodeOptions.keepsMetadata = arguments.has(Self.keepMetadata)
    conversion.encodeOptions.keepsCopyright = arguments.has(Self.keepCopyright)
    conversion.encodeOptions.firstFrameOnly = arguments.has(Self.firstFrame)
    if arguments.has(Self.progressive) { conversion.encodeOptions.progressive = true }
    try CodecOptions.apply(arguments, to: &conversion.encodeOptions)
    conversion.encodeOptions.backgroundColor = try arguments.value(Self.background) ?? .white
    self.conversion = conversion
  }

  /// The format that is given, or that the replayed key names, or that the output's name says.
  private static func format(
    _ arguments: Arguments, _ output: String, _ recipe: EncodeRecipe?
  ) throws(UsageError) -> ImageFormat {
    if let given = try arguments.value(CommonOptions.format) ?? recipe?.formats.first { return given }
    if output != "-", let named = FormatNames.writtenFormat(ofFile: output) { return named }
    throw UsageError(
      "convert cannot tell the format from '\(printable(output))': use the extension of a format that is written ("
        + FormatNames.writtenExtensions.map { ".\($0)" }.joined(separator: ", ") + "), or give --format NAME.")
  }

  /// Refuses options that a replayed key already states.
  private static func refuseOptionsBeside(_ recipe: EncodeRecipe, _ arguments: Arguments) throws(UsageError) {
    let stated =
      [
        CommonOptions.quality.description, lossless.description, maxBytes.description, keepMetadata.description,
        keepCopyright.description,
        firstFrame.description, progressive.description, background.description, CommonOptions.format.description,
      ] + CodecOptions.all
    for option in stated where arguments.options.contains(where: { $0.name == option.name }) {
      throw UsageError("--\(option.name) does not go with a key that ends in Encode(...), which says it already.")
    }
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    return report.forEach([input]) { input in
      var watch = Stopwatch()
      let bytes = try InputReader(limits: conversion.limits).bytes(of: input)
      let product = try watch.measure { try conversion.run(on: bytes) }
      try OutputFile.write(product.bytes, to: output)
      let line = product.json(input, output, watch.total)
      // Standard output is reserved for the picture.
      if output == "-" {
        if isJSON { console.note(line.text) }
      } else {
        report.success(line, product.text(output))
      }
    }
  }
}

extension Conversion.Product {
  func json(_ input: String, _ output: String, _ time: Duration) -> JSON {
    [
      "input": .string(Input.name(input)), "output": .string(output),
      "format": .string(FormatNames.program.name(of: format)),
      "width": .integer(size.width), "height": .integer(size.height), "frames": .integer(frames),
      "bytes": .integer(bytes.count), "ms": .milliseconds(time),
    ]
  }

  func text(_ output: String) -> String {
    let moving = frames > 1 ? ", \(frames) frames" : ""
    return
      "\(printable(output)): \(FormatNames.program.name(of: format)) \(size)\(moving), \(Quantity.bytes(bytes.count))"
  }
}

extension PixelColor {
  /// Reads `#rrggbb`, `#aarrggbb`, `white`, `black` and `transparent`.
  init?(reading text: String) {
    switch text {
    case "white": self = .white
    case "black": self = .black
    case "transparent": self = .clear
    default:
      let digits = text.dropFirst(text.hasPrefix("#") ? 1 : 0)
      guard digits.count == 6 || digits.count == 8, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }),
        let value = UInt32(digits, radix: 16)
      else { return nil }
      let byte = { (shift: UInt32) in UInt8(truncatingIfNeeded: value >> shift) }
      self.init(red: byte(16), green: byte(8), blue: byte(0), alpha: digits.count == 6 ? 255 : byte(24))
    }
  }
}
