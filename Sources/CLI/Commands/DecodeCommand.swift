import Easel

/// Decodes a picture into raw pixels.
struct DecodeCommand: Command {
  private static let frame = Option<Int>.integer(
    "frame", "N", in: 0...Int(Int32.max), "Write frame N of a moving picture, counted from 0.")
  private static let frames = Option<Bool>.flag("frames", "Write all frames, one after another.")
  private static let rawOrientation = Option<Bool>.flag("raw-orientation", "Do not turn the picture upright.")
  private static let rawColor = Option<Bool>.flag("raw-color", "Do not convert the colours to sRGB.")
  private static let allowPartial = Option<Bool>.flag(
    "allow-partial", "The same as --damaged show.")
  private static let chunk = Option<Int>.integer(
    "chunk", "N", in: 1...Int.max, "Decode as during a transfer, in pieces of N bytes.")

  static let description = CommandDescription(
    name: "decode", summary: "Write the pixels of a picture.", operands: .oneInput,
    details: [
      "The file has rows of RGBA with straight alpha, 8 bits each, from top to bottom, without a header. A JSON object "
        + "on standard output gives the width, the height, the number of frames, whether the picture is partial, and "
        + "how many milliseconds decoding took."
    ],
    options: [
      CommonOptions.output.description, ExistingFiles.overwrite.description, frame.description, frames.description,
      CommonOptions.thumbnail.description, CommonOptions.fidelity.description,
      rawOrientation.description, rawColor.description, CommonOptions.damaged.description, allowPartial.description,
      chunk.description, CommonOptions.repeats.description, CommonOptions.maxPixels.description,
      CommonOptions.json.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel decode photo.png -o photo.rgba", "Write the pixels, upright and in sRGB."),
      .init("easel decode animation.png --frames -o all.rgba", "Write every frame as a viewer shows it."),
      .init(
        "easel decode huge.png --thumbnail 320x320 -o small.rgba",
        "Decode a huge picture with only a few of its rows in memory."),
      .init("easel decode photo.png --repeat 20 -o /dev/null", "Measure how long decoding takes."),
    ])

  private let input: String
  private let output: String
  private let isJSON: Bool
  private let work: DecodingWork

  init(_ arguments: Arguments) throws(UsageError) {
    input = arguments.operands[0]
    guard let output = try arguments.value(CommonOptions.output) else {
      throw UsageError("decode needs --output FILE to know where to write.")
    }
    if output == "-" { try OutputDestination.refuseTerminal() }
    self.output = output
    isJSON = arguments.has(CommonOptions.json)
    var options = DecodeOptions()
    options.thumbnailSize = try arguments.value(CommonOptions.thumbnail)
    options.fidelity = try arguments.value(CommonOptions.fidelity) ?? .faithful
    options.appliesOrientation = !arguments.has(Self.rawOrientation)
    options.convertsColor = !arguments.has(Self.rawColor)
    let damaged = try arguments.value(CommonOptions.damaged)
    guard damaged == nil || !arguments.has(Self.allowPartial) else {
      throw UsageError("--damaged and --allow-partial cannot be used together.")
    }
    options.damaged = damaged ?? (arguments.has(Self.allowPartial) ? .show : .whole)
    let index = try arguments.value(Self.frame)
    guard index == nil || !arguments.has(Self.frames) else {
      throw UsageError("--frame and --frames cannot be used together.")
    }
    work = DecodingWork(
      options: options, limits: Limits(maxPixels: try arguments.value(CommonOptions.maxPixels)),
      selection: arguments.has(Self.frames) ? .all : index.map { .one($0) } ?? .poster,
      chunk: try arguments.value(Self.chunk), repeats: try arguments.value(CommonOptions.repeats) ?? 1,
      coder: try SandboxOptions.use(arguments).coders, mayReplace: arguments.has(ExistingFiles.overwrite))
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    return report.forEach([input]) { input in
      let bytes = try InputReader(limits: work.limits).bytes(of: input)
      let result = try work.run(on: bytes, writingTo: output)
      let line: JSON = [
        "input": .string(Input.name(input)), "width": .integer(result.size.width),
        "height": .integer(result.size.height), "frames": .integer(result.frames),
        "partial": .boolean(result.isPartial), "ms": .milliseconds(result.time),
      ]
      // Standard output is reserved for the pixels.
      if output == "-" { console.note(line.text) } else { console.result(line.text) }
    }
  }
}
