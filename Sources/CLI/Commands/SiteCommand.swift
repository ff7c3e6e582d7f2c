import Easel
import FoundationEssentials

/// Makes the variants of the pictures of a web site, with what its pages need to show them.
struct SiteCommand: Command {
  private static let output = Option<String>.text(
    "output", letter: "o", "DIR", "The directory for variants, manifest and snippets. It is made if it is missing.",
    completion: .directories)
  private static let widths = Option<[Int]>.reading(
    "widths", "LIST", "whole numbers between commas such as 320,640,1280",
    "The widths of variants. No variant is wider than its picture. The default is 320,640,960,1280,1920."
  ) { ServeReading.numbers($0, 1...16_384).map { $0.sorted() } }
  private static let formats = Option<[ImageFormat]>.reading(
    "formats", "LIST", "names of formats between commas such as avif,webp,jpeg",
    "The formats of variants, the best first; browsers that know none but the last one get that. The default is "
      + "avif,webp,jpeg. What is transparent or moves becomes a PNG in place of a JPEG."
  ) { ServeReading.formats($0).flatMap { $0.isEmpty ? nil : $0 } }
  private static let base = Option<String>.text(
    "base", "URL", "The beginning of addresses in snippets, such as /images. The default is none.")
  private static let sizes = Option<String>.text(
    "sizes", "TEXT", "The attribute sizes of snippets, such as (min-width: 60em) 50vw, 100vw. The default is 100vw.")
  private static let prune = Option<Bool>.flag(
    "prune", "Remove variants that the last run made and that this one does not need.")

  static let description = CommandDescription(
    name: "site", summary: "Make the variants of pictures that a web site needs, and the HTML that names them.",
    operands: .inputs,
    details: [
      "Folders are searched for pictures. Each picture becomes a file for each width and format, whose name ends with a "
        + "number made of the content of the picture and of the settings. So a file never changes under its name, and may "
        + "be kept for ever by browsers. What the last run has made is not made again.",
      "DIR/manifest.json lists the pictures with their sizes and variants, and DIR/snippets has a file for each with a "
        + "<picture> element for pages: srcset, sizes, width and height, so that nothing moves while pictures load.",
    ],
    options: [
      output.description, widths.description, formats.description, CommonOptions.quality.description, base.description,
      sizes.description, prune.description, CommonOptions.damaged.description, CommonOptions.maxPixels.description,
    ] + SandboxOptions.all + [
      CommonOptions.jobs.description, BatchOptions.quiet.description, CommonOptions.noProgress.description,
      CommonOptions.json.description,
    ],
    examples: [
      .init("easel site photos -o public/images --base /images", "Make all variants, and snippets that name them."),
      .init(
        "easel site photos -o public/images --widths 400,800 --formats webp,jpeg --quality 75 --prune",
        "Make two widths in two formats, and remove what is not needed any more."),
    ])

  private let folder: String
  private let job: SiteJob
  private let options: BatchOptions
  private let inputs: BatchInputs
  private let removesOthers: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    guard let folder = try arguments.value(Self.output) else {
      throw UsageError("site needs --output DIR to know where to write.")
    }
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    for word in arguments.operands {
      if case .standardInput = Input(word) {
        throw UsageError("site needs files, folders or URLs, because pages name pictures by their names.")
      }
    }
    options = try BatchOptions(arguments)
    inputs = BatchInputs(
      words: arguments.operands, recurses: true, resultFolder: self.folder, numbersNames: false)
    removesOthers = arguments.has(Self.prune)
    var conversion = Conversion(coder: try SandboxOptions.use(arguments).coders)
    conversion.limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    conversion.decodeOptions.damaged = try CommonOptions.damaged(arguments)
    try CommonOptions.applyQuality(arguments, to: &conversion.encodeOptions)
    let formats = try arguments.value(Self.formats) ?? [.avif, .webp, .jpeg]
    job = SiteJob(
      folder: self.folder, conversion: conversion,
      widths: try arguments.value(Self.widths) ?? [320, 640, 960, 1280, 1920],
      formats: formats, base: try arguments.value(Self.base) ?? "", sizes: try arguments.value(Self.sizes) ?? "100vw",
      earlier: SiteManifest(ofFolder: self.folder))
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: options.isJSON)
    guard report.makesDirectory(folder, for: inputs.words) else { return report.status }
    let run = BatchRun(inputs, total: inputs.counted(), options, report, showsSummary: true)
    Interruption.handle { run.farewell() }
    run.run { [job] in try job.make($0) }
    do {
      try job.finish(prunes: removesOthers && report.status == .success)
    } catch {
      report.failure(of: folder, error)
    }
    return report.status
  }
}
