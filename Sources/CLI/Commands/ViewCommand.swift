import Easel
import EaselTerminal
import Glibc

/// Shows a picture in the terminal.
struct ViewCommand: Command {
  private static let graphics = Option<TerminalGraphics>.choice(
    "graphics", "NAME",
    "How to draw: kitty, sixel, blocks (half blocks in true colour) or shades (no colour). The default is the best "
      + "that the terminal supports.")
  private static let background = Option<PixelColor>(
    OptionDescription(
      name: "background", placeholder: "COLOR", expectation: "a colour such as white, black or #ff8800",
      help: "The colour behind transparent pixels. The default is the terminal's own background.",
      completion: .words(["white", "black"]))
  ) { PixelColor(reading: $0) }
  private static let columns = Option<Int>.integer(
    "columns", "N", in: 1...10_000, "Use N columns if the output is not a terminal. The default is 80.")

  static let description = CommandDescription(
    name: "view", summary: "Show a picture in the terminal.", operands: .oneInput,
    details: [
      "The picture is made to fit the window and is never enlarged. A moving picture is played as often as its file "
        + "says; any key ends it. If standard output is not a terminal, the picture is written to it once, in half "
        + "blocks. If NO_COLOR is set, the picture is drawn in shades."
    ],
    options: [
      graphics.description, background.description, columns.description, CommonOptions.damaged.description,
      CommonOptions.maxPixels.description, CommonOptions.json.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel view photo.jpg", "Show it as well as the terminal can."),
      .init("easel view --graphics blocks animation.gif", "Play a moving picture in half blocks."),
      .init("curl -s https://example.com/a.webp | easel view -", "Show a picture from standard input."),
    ])

  private let input: String
  private let graphics: TerminalGraphics?
  private let background: PixelColor?
  private let columns: Int?
  private let damaged: DamagePolicy
  private let limits: Limits
  private let isJSON: Bool
  private let coder: CoderRegistry

  init(_ arguments: Arguments) throws(UsageError) {
    input = arguments.operands[0]
    let wantsNoColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    graphics = try arguments.value(Self.graphics) ?? (wantsNoColor ? .shades : nil)
    background = try arguments.value(Self.background)
    columns = try arguments.value(Self.columns)
    damaged = try CommonOptions.damaged(arguments)
    limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    isJSON = arguments.has(CommonOptions.json)
    coder = try SandboxOptions.use(arguments).coders
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    return report.forEach([input]) { input in
      let reader = InputReader(limits: limits)
      guard isatty(STDOUT_FILENO) == 1, let terminal = Terminal(),
        let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH])
      else { return try write(try reader.bytes(of: input)) }
      let bytes = try BackgroundThread.run(heeding: signals) { try reader.bytes(of: input) }
      let viewer = try Viewer(on: terminal, signals: signals, graphics: graphics) { box in
        try BackgroundThread.run(heeding: signals, onSignal: terminal.restore) { try image(of: bytes, fitting: box) }
      }
      try viewer.run()
    }
  }

  private func image(of bytes: ImageBytes, fitting box: PixelSize) throws -> Image {
    var options = DecodeOptions()
    options.thumbnailSize = box
    options.damaged = damaged
    let work = WorkContext(limits: limits)
    let image = try coder.decode(bytes, options: options, work: work)
    guard let background else { return image }
    return try Flatten(color: background).transformAllFrames(of: image, work: work)
  }

  /// Writes one picture to standard output, for any program that reads it.
  private func write(_ bytes: ImageBytes) throws {
    let window = TerminalWindow(columns: columns ?? 80, rows: 10_000)
    let graphics = graphics ?? .blocks
    let image = try image(of: bytes, fitting: window.box(for: graphics))
    let drawing = try TerminalDrawing(image.bitmap, in: window, by: graphics)
    try OutputFile.write(ImageBytes(drawing.bytes), to: "-", mayReplace: true)
  }
}

/// Blends pictures over a background colour.
private struct Flatten: Transformer {
  let color: PixelColor

  var cacheKey: String { "Flatten" }

  func transform(_ image: Image, work: WorkContext) throws -> Image {
    var image = image
    image.bitmap = try image.bitmap.flattened(over: color, work: work)
    return image
  }
}
