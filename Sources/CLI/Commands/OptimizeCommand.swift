import Easel

/// Makes the files of pictures smaller.
struct OptimizeCommand: Command {
  private static let output = Option<String>.text(
    "output", letter: "o", "OUTPUT", "Write to this folder or pattern, and leave the originals as they are.",
    completion: .directories)
  static let leastSimilarity = Option<Double>.number(
    "min-ssim", "S", in: 0...1, "a number from 0 to 1",
    "Let lossy files lose as much as keeps this similarity to the original, from 0 to 1; 0.99 is hardly seen.")
  private static let quality = Option<Double>(
    OptionDescription(
      name: CommonOptions.quality.description.name, placeholder: "Q",
      expectation: WantedQuality.expectedNumber,
      help: "Write lossy files with this quality, from 0 to 1 or from 2 to 100, where that makes them smaller."),
    { WantedQuality.number($0) })
  private static let strip = Option<Bool>.flag(
    "strip-metadata", "Leave out EXIF and XMP. Colour profiles and the orientation stay.")
  private static let keepTime = Option<Bool>.flag("keep-time", "Give files the time of last change that they had.")

  static let description = CommandDescription(
    name: "optimize", summary: "Make the files of pictures smaller, in place.", operands: .inputs,
    details: [
      "A file is replaced only by a smaller one. Without --quality or --min-ssim, nothing that is seen changes: PNG, GIF and "
        + "lossless WebP are compressed anew, the result is decoded, and every pixel, time and profile is compared. "
        + "JPEG and other lossy files stay as they are, because writing them anew always loses something.",
      "EXIF and XMP, permissions and the owner stay. Comments in PNG files go. With --output, files that cannot be made "
        + "smaller are copied, so that the folder is complete.",
    ] + BatchOptions.details,
    options: [
      output.description, quality.description, leastSimilarity.description, strip.description, keepTime.description,
      CommonOptions.maxPixels.description,
    ] + SandboxOptions.all + BatchOptions.all + [ConfigurationDefaults.option.description],
    examples: [
      .init("easel optimize *.png", "Compress files anew without any loss."),
      .init(
        "easel optimize -r site --min-ssim 0.99 --keep-time", "Make all pictures of a site smaller, hardly visibly."),
      .init("easel optimize photo.jpg --quality 75 -o smaller/", "Write it with this quality, if that is smaller."),
      .init("easel optimize -r assets --dry-run", "Say what could be saved, and change nothing."),
    ])

  private let job: OptimizeJob
  private let inputs: BatchInputs
  private let options: BatchOptions
  private let total: Int

  init(_ arguments: Arguments) throws(UsageError) {
    options = try BatchOptions(arguments)
    let similarity = try arguments.value(Self.leastSimilarity)
    let quality = try arguments.value(Self.quality)
    guard similarity == nil || quality == nil else {
      throw UsageError("--quality and --min-ssim cannot be used together: each says how much may be lost.")
    }
    var pattern: OutputPattern?
    if let output = try arguments.value(Self.output) {
      guard output != "-" else { throw UsageError("optimize writes files. Use 'easel convert' for standard output.") }
      let read = try OutputPattern(output)
      pattern = read.isOneFile ? OutputPattern(folder: read.path(OutputPattern.Values(name: ""))) : read
    } else if options.existing != .refuse {
      throw UsageError("--overwrite, --skip and --newer are about the files of --output, and there is none.")
    } else {
      try Self.checkPlaces(arguments.operands)
    }
    inputs = BatchInputs(
      words: arguments.operands, recurses: options.recurses, resultFolder: pattern?.resultFolder, keepsExtensions: true)
    if let pattern {
      total = try BatchPlan(inputs: inputs, pattern: pattern, format: nil).check()
    } else {
      total = inputs.counted()
    }
    job = OptimizeJob(
      pattern: pattern, options: options, coder: try SandboxOptions.use(arguments).coders,
      limits: Limits(maxPixels: try arguments.value(CommonOptions.maxPixels)), quality: quality,
      leastSimilarity: similarity, keepsMetadata: !arguments.has(Self.strip), keepsTime: arguments.has(Self.keepTime))
  }

  /// Checks that every word is a file, because only files can be replaced, and that no file is named twice.
  private static func checkPlaces(_ words: [String]) throws(UsageError) {
    var seen: Set<String> = []
    for word in words {
      guard case .file(let path) = Input(word) else {
        throw UsageError(
          "\(printable(Input.name(word))) is no file that could be replaced. Name a folder with --output.")
      }
      guard seen.insert(OutputPattern.tidied(path)).inserted else {
        throw UsageError("\(printable(path)) is given twice.")
      }
    }
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: options.isJSON)
    let isMany = inputs.mayBeMany
    let run = BatchRun(inputs, total: total, options, report, showsSummary: isMany)
    Interruption.handle { if isMany { run.farewell() } }
    let job = job
    run.run { try job.optimize($0) }
    return report.status
  }
}
