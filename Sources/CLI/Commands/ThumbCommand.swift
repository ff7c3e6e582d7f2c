import Easel

/// Makes thumbnails of many pictures, several at a time.
struct ThumbCommand: Command {
  private static let size = CommonOptions.size("size", "The size that thumbnails fit in. The default is 320.")
  private static let directory = Option<String>.text(
    "dir", letter: "d", "DIR", "The directory for thumbnails. It is made if it is missing.", completion: .directories)

  private static let fill = Option<Bool>(
    OptionDescription(
      name: "fill", formerName: "cover", help: "Cover the whole size, and cut off what sticks out, by --gravity.")
  ) { _ in true }

  static let description = CommandDescription(
    name: "thumb", summary: "Make thumbnails of many pictures.", operands: .inputs,
    details: [
      "Each thumbnail is named like its input and has the same format, or PNG if Easel cannot write that format. "
        + "Pictures are made smaller while they are decoded, so that their size hardly changes how much memory a job "
        + "needs. Inputs of the same name get numbers. 'easel convert' has more ways to change pictures and to name files."
    ] + BatchOptions.details,
    options: [
      directory.description, size.description, fill.description, CommonOptions.fidelity.description,
      SizeOptions.pixelRatio.description,
      TransformerOptions.gravity.description, TransformerOptions.cropRatio.description,
      TransformerOptions.trim.description, CommonOptions.format.description, CommonOptions.quality.description,
      CommonOptions.damaged.description, CommonOptions.repeats.description, CommonOptions.maxPixels.description,
    ] + WatermarkOptions.all + SandboxOptions.all + BatchOptions.all + [ConfigurationDefaults.option.description],
    examples: [
      .init("easel thumb *.jpg --size 320 --dir thumbs", "Make thumbnails of at most 320 by 320 pixels."),
      .init(
        "easel thumb --size 200x0 --format webp --quality 0.7 --dir thumbs -- *", "Make them 200 pixels wide, as WebP."),
      .init(
        "easel thumb --size 200 --fill --gravity north --dpr 2 --dir thumbs -- *.jpg",
        "Make squares for fine screens, of the upper part of each picture."),
      .init("easel thumb huge.png --size 64 --dir /tmp --repeat 10 --json", "Measure how long one takes."),
    ])

  private let inputs: BatchInputs
  private let directory: String
  private let job: ConversionJob
  private let total: Int

  init(_ arguments: Arguments) throws(UsageError) {
    guard let directory = try arguments.value(Self.directory) else {
      throw UsageError("thumb needs --dir DIR to know where to write.")
    }
    self.directory = directory
    let size = try arguments.value(Self.size) ?? PixelSize(width: 320, height: 320)
    var conversion = Conversion(coder: try SandboxOptions.use(arguments).coders)
    if let pipeline = try Self.pipeline(size, arguments) {
      conversion.transformer = pipeline
    } else {
      // A side without a size gets a limit that no picture reaches.
      conversion.decodeOptions.thumbnailSize = PixelSize(
        width: size.width == 0 ? .max >> 16 : size.width, height: size.height == 0 ? .max >> 16 : size.height)
    }
    conversion.decodeOptions.fidelity = try arguments.value(CommonOptions.fidelity) ?? .faithful
    conversion.decodeOptions.damaged = try CommonOptions.damaged(arguments)
    conversion.limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    conversion.format = try arguments.value(CommonOptions.format)
    try CommonOptions.applyQuality(arguments, to: &conversion.encodeOptions)
    conversion.encodeOptions.firstFrameOnly = true
    let pattern = OutputPattern(folder: directory)
    let options = try BatchOptions(arguments)
    inputs = BatchInputs(
      words: arguments.operands, recurses: options.recurses, resultFolder: directory, numbersNames: true)
    total = try BatchPlan(inputs: inputs, pattern: pattern, format: conversion.format).check()
    job = ConversionJob(
      pattern: pattern, conversion: conversion, options: options,
      repeats: try arguments.value(CommonOptions.repeats) ?? 1, protectsInputs: true)
  }

  /// The steps of a thumbnail; nil if the thumbnail only needs a size, which the decoder alone can produce.
  private static func pipeline(_ size: PixelSize, _ arguments: Arguments) throws(UsageError) -> TransformerPipeline? {
    try WatermarkOptions.check(arguments)
    let ratio = try arguments.value(SizeOptions.pixelRatio) ?? 1
    let gravity = try arguments.value(TransformerOptions.gravity)
    let fills = arguments.has(fill)
    let shape = try arguments.value(TransformerOptions.cropRatio)
    guard gravity == nil || fills || shape != nil else {
      throw UsageError("--gravity says what a cut keeps, and there is neither --fill nor --crop-ratio.")
    }
    let tolerance = try arguments.value(TransformerOptions.trim)
    let watermark = try arguments.value(WatermarkOptions.file)
    guard fills || shape != nil || tolerance != nil || watermark != nil || ratio != 1 else { return nil }
    var recipe = PixelRecipe()
    if let tolerance { recipe.trim = .trim(tolerance: tolerance) }
    if let shape {
      recipe.crop = .crop(ratioWidth: shape.width, ratioHeight: shape.height, gravity: gravity ?? .center)
    }
    (recipe.width, recipe.height) = (size.width, size.height)
    recipe.fitting = fills ? .fill : .fit
    recipe.gravity = gravity ?? .center
    recipe.pixelRatio = ratio
    recipe.fidelity = try arguments.value(CommonOptions.fidelity) ?? .faithful
    if let watermark { recipe.watermark = try WatermarkOptions.pipeline(watermark, arguments, pixelRatio: 1) }
    do throws(ImageError) {
      return try recipe.pipeline()
    } catch {
      throw UsageError(printable(error.message))
    }
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: job.options.isJSON)
    guard job.options.isDryRun || report.makesDirectory(directory, for: inputs.words) else { return report.status }
    return job.run(on: inputs, total: total, report)
  }
}
