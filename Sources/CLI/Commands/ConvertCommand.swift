import Easel

/// Writes pictures in another format or size, or with other changes.
struct ConvertCommand: Command {
  static let description = CommandDescription(
    name: "convert", summary: "Write pictures in another format, size or look.", operands: .inputs,
    details: [
      "The extension of the output file says which format is written. Moving pictures stay moving if the format can. "
        + "Options that change the picture are applied in the order in which they are given.",
      "For several inputs, --output is a folder, in which folders of the inputs are kept, or a pattern such as "
        + "'out/{name}-{width}.webp': \(OutputPattern.help) In a folder without --format, each picture keeps its format.",
      "A picture that has the format already and is not changed keeps its bytes, unless an option says how to encode "
        + "it, such as --quality, --lossless, --progressive or --chroma.",
    ] + BatchOptions.details,
    options: [outputs.description] + ConversionOptions.all + BatchOptions.all + [
      ConfigurationDefaults.option.description
    ],
    examples: [
      .init("easel convert photo.jpg -o photo.png", "Write another format."),
      .init("easel convert *.jpg --resize 1200 --format webp -o web", "Write many to a folder, as WebP."),
      .init(
        "easel convert -r photos --resize 640 --newer -o 'small/{sub}/{name}-{width}.avif'",
        "Bring smaller copies of all pictures in a folder up to date."),
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
        "easel convert photo.png --quality 80 --avif-speed 6 --chroma 444 -o photo.avif",
        "Take more time for a smaller AVIF with all colours."),
      .init(
        "easel convert photo.png --tiff-compression lzw -o print.tif", "Write a TIFF that the oldest programs read."),
      .init("easel convert scan.tif --keep-depth -o scan.png", "Keep the 16 bits of a scan."),
      .init("easel convert - --format png -o - < in.gif > out.png", "Convert in a pipe."),
    ])

  static let outputs = Option<String>.text(
    "output", letter: "o", "OUTPUT", "The file to write, a folder or pattern for many files, or - for standard output.",
    completion: .files)

  private let job: ConversionJob
  private let inputs: BatchInputs
  private let options: BatchOptions
  private let writesToOutput: Bool
  private let total: Int

  init(_ arguments: Arguments) throws(UsageError) {
    guard let output = try arguments.value(Self.outputs) else {
      throw UsageError("convert needs --output FILE to know where and what to write.")
    }
    let options = try BatchOptions(arguments)
    let destination = try OutputDestination(output, for: arguments.operands, options)
    let conversion = try ConversionOptions.conversion(arguments, named: destination.namedFormat)
    if !destination.keepsFormats && output != "-" { try ConversionOptions.checkOneFormat(conversion) }
    guard conversion.format != nil || destination.keepsFormats || !conversion.candidates.isEmpty else {
      throw UsageError(
        "convert cannot tell the format from '\(printable(output))': use the extension of a format that is written ("
          + FormatNames.writtenExtensions.map { ".\($0)" }.joined(separator: ", ") + "), or give --format NAME.")
    }
    self.options = options
    writesToOutput = output == "-"
    inputs = BatchInputs(
      words: arguments.operands, recurses: options.recurses, resultFolder: destination.pattern.resultFolder)
    total = try BatchPlan(inputs: inputs, pattern: destination.pattern, format: conversion.format).check()
    job = ConversionJob(pattern: destination.pattern, conversion: conversion, options: options)
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: options.isJSON)
    guard !writesToOutput else { return write(inputs.words[0], console, report) }
    return job.run(on: inputs, total: total, report)
  }

  /// Writes one picture to standard output, which is reserved for it.
  private func write(_ input: String, _ console: Console, _ report: Report) -> ExitStatus {
    report.forEach([input]) { input in
      let made = try job.made(of: try job.reader.bytes(of: input))
      try OutputFile.write(made.product.bytes, to: "-", mayReplace: true)
      if options.isJSON { console.note(made.product.json(input, "-", made.time).text) }
    }
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
