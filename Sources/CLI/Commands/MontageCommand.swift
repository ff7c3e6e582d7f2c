import Easel
import EaselPixels
import EaselService
import EaselSupport

/// Draws many pictures on one sheet.
struct MontageCommand: Command {
  private static let size = CommonOptions.size(
    "size", "The size of the field that each picture fits in. The default is 240.",
    expectation: "a size such as 240 or 320x240")
  private static let columns = Option<Int>.integer(
    "columns", "N", in: 1...10_000, "The pictures in a row. The default makes as many rows as columns.")
  private static let gap = Option<Int>.integer(
    "gap", "N", in: 0...10_000, "The pixels between fields, and around them. The default is 8.")
  private static let background = Option<PixelColor>(
    OptionDescription(
      name: "background", placeholder: "COLOR",
      expectation: "a colour such as white, black, transparent or #ff8800",
      help: "The colour of the sheet. The default is white.", completion: .words(["white", "black", "transparent"]))
  ) { PixelColor(reading: $0) }
  private static let labels = Option<Bool>.flag("labels", "Write the name of each file below its picture.")

  static let description = CommandDescription(
    name: "montage", summary: "Draw many pictures on one sheet.", operands: .inputs,
    details: [
      "Pictures stand in rows, in the order in which they are given, each in the middle of a field. Larger ones are made "
        + "smaller to fit, and smaller ones keep their size. The field of a picture that fails stays empty.",
      "Labels are drawn by the coder of SVG, in a sandbox, with the fonts of the system.",
    ],
    options: [
      CommonOptions.output.description, size.description, columns.description, gap.description, background.description,
      labels.description, CommonOptions.format.description, CommonOptions.quality.description,
      BatchOptions.recursive.description, ExistingFiles.overwrite.description, CommonOptions.damaged.description,
      CommonOptions.maxPixels.description, CommonOptions.jobs.description, BatchOptions.quiet.description,
      CommonOptions.noProgress.description, CommonOptions.json.description,
    ] + SandboxOptions.all + [ConfigurationDefaults.option.description],
    examples: [
      .init("easel montage *.jpg -o sheet.jpg", "Draw a contact sheet."),
      .init(
        "easel montage -r photos --size 160 --columns 8 --labels -o sheet.png", "Draw one with names, eight in a row."),
      .init(
        "easel montage icons/*.svg --size 64 --gap 0 --background transparent -o sprites.png",
        "Put icons side by side for a page."),
    ])

  private let inputs: BatchInputs
  private let options: BatchOptions
  private let output: String
  private let format: ImageFormat
  private let encodeOptions: EncodeOptions
  private let decodeOptions: DecodeOptions
  private let limits: Limits
  private let coder: CoderRegistry
  private let layout: MontageLayout
  private let color: PixelColor
  private let total: Int
  private let room = MemoryRoom.ofThisMachine

  init(_ arguments: Arguments) throws(UsageError) {
    guard let output = try arguments.value(CommonOptions.output) else {
      throw UsageError("montage needs --output FILE to know where and what to write.")
    }
    self.output = output
    if output == "-" { try OutputDestination.refuseTerminal() }
    options = try BatchOptions(arguments)
    guard let format = try arguments.value(CommonOptions.format) ?? FormatNames.writtenFormat(ofFile: output) else {
      throw UsageError("montage cannot tell the format from '\(printable(output))': give --format NAME.")
    }
    self.format = format
    let size = try arguments.value(Self.size) ?? PixelSize(width: 240, height: 240)
    guard !size.isEmpty else { throw UsageError("--size needs both sides.") }
    inputs = BatchInputs(words: arguments.operands, recurses: options.recurses)
    total = inputs.counted()
    guard total > 0 else {
      throw UsageError("There are no pictures in \(arguments.operands.map(printable).joined(separator: ", ")).")
    }
    layout = MontageLayout(
      count: total, field: size, columns: try arguments.value(Self.columns), gap: try arguments.value(Self.gap) ?? 8,
      labelHeight: arguments.has(Self.labels) ? 20 : 0)
    color = try arguments.value(Self.background) ?? .white
    var encodeOptions = EncodeOptions()
    try CommonOptions.applyQuality(arguments, to: &encodeOptions)
    self.encodeOptions = encodeOptions
    var decodeOptions = DecodeOptions()
    decodeOptions.thumbnailSize = size
    decodeOptions.damaged = try CommonOptions.damaged(arguments)
    self.decodeOptions = decodeOptions
    limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    coder = try SandboxOptions.use(arguments).coders
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: options.isJSON)
    do {
      guard try options.existing.allows(output, from: nil) else { return .success }
      var watch = Stopwatch()
      let run = BatchRun(inputs, total: total, options, report, showsSummary: false)
      Interruption.handle { run.farewell() }
      let file = try watch.measure { try sheet(by: run) }
      guard run.summary.written > 0 else { return .failure }
      try OutputFile.write(file, to: output, mayReplace: options.existing.mayReplace)
      tell(file, run.summary, watch.total, report)
    } catch {
      report.failure(of: output, error)
    }
    return report.status
  }

  private func tell(_ file: ImageBytes, _ summary: BatchSummary, _ time: Duration, _ report: Report) {
    let json: JSON = [
      "output": .string(output), "format": .string(FormatNames.program.name(of: format)),
      "width": .integer(layout.size.width), "height": .integer(layout.size.height),
      "pictures": .integer(summary.written), "failed": .integer(summary.failed), "bytes": .integer(file.count),
      "ms": .milliseconds(time),
    ]
    // Standard output is reserved for the picture.
    guard output != "-" else { return options.isJSON ? report.console.note(json.text) : () }
    guard !options.isQuiet else { return }
    report.success(
      json,
      "\(printable(output)): \(FormatNames.program.name(of: format)) \(layout.size), \(summary.written) pictures, "
        + Quantity.bytes(file.count))
  }

  /// Draws all pictures, several at a time.
  private func sheet(by run: BatchRun) throws -> ImageBytes {
    let work = WorkContext(limits: limits)
    try limits.check(frame: layout.size, claimedBy: "The sheet")
    let sheet = Locked(try blank())
    let names = Locked<[Int: String]>([:])
    run.run { input in
      let bitmap = try picture(input.word)
      let place = layout.place(of: bitmap.size, at: input.index - 1)
      sheet.withLock { $0.lay(bitmap, x: place.x, y: place.y, isBlended: true) }
      if layout.labelHeight > 0 { names.withLock { $0[input.index - 1] = FileNames.stem(of: input.word) } }
      return .written([:], "", bytes: (0, 0))
    }
    for (row, texts) in layout.labels(names.withLock { $0 }) {
      let drawing = MontageLabels(layout: layout, background: color).svg(texts)
      let label = try coder.decode(ImageBytes(Array(drawing.utf8)), options: DecodeOptions(), work: work)
      let bitmap = try label.bitmap.converted(to: Self.pixels, work: work)
      sheet.withLock { $0.lay(bitmap, x: 0, y: layout.labelTop(ofRow: row), isBlended: true) }
    }
    if color.alpha == 255 { sheet.withLock { $0.assumeAlpha(.opaque) } }
    return try CoderRegistry.program.encode(
      Image(sheet.withLock { $0 }), as: format, options: encodeOptions, work: work)
  }

  private static let pixels = PixelFormat(.rgba8, alpha: .straight)

  private func blank() throws -> Bitmap {
    var blank = try Bitmap(size: layout.size, format: Self.pixels)
    blank.fill(color)
    return blank
  }

  private func picture(_ word: String) throws -> Bitmap {
    let work = WorkContext(limits: limits)
    let bytes = try InputReader(limits: limits, coder: coder).bytes(of: word)
    let footprint = try WorkFootprint(of: bytes, by: coder, limits: limits, decodedTo: layout.field, as: .png)
    return try room.run(footprint.bytes) {
      let bitmap = try coder.decode(bytes, options: decodeOptions, work: work).bitmap
      return try bitmap.resized(to: bitmap.size.thumbnail(in: layout.field), work: work)
        .converted(to: Self.pixels, work: work)
    }
  }
}
