import Easel

/// Prints the contents of pictures' headers.
struct InfoCommand: Command {
  private static let placeholder = Option<Bool>.flag(
    "placeholder", "Decode the picture too, and print its ThumbHash in base64, its BlurHash and its dominant colour.")

  static let description = CommandDescription(
    name: "info", summary: "Print what the headers of pictures say.", operands: .inputs,
    details: [
      "Values are as they are stored: width and height are not rotated, and delays are raw. Only headers are read, so "
        + "a picture may still turn out to be damaged.",
      "With --placeholder, the picture is decoded as well: upright, in sRGB, and no larger than placeholders need. The "
        + "dominant colour comes with the share of the visible picture that it covers.",
    ],
    options: [placeholder.description, CommonOptions.json.description, CommonOptions.maxPixels.description],
    examples: [
      .init("easel info photo.jpg animation.gif", "Print a line about each picture."),
      .init("easel info --json *.png", "The same for programs: one JSON object per line."),
      .init("easel info --placeholder photo.jpg", "Print what a page can show until the photo has arrived."),
      .init("curl -s https://example.com/a.webp | easel info -", "Read a picture from standard input."),
    ])

  private let inputs: [String]
  private let isJSON: Bool
  private let showsPlaceholder: Bool
  private let limits: Limits

  init(_ arguments: Arguments) throws(UsageError) {
    inputs = arguments.operands
    isJSON = arguments.has(CommonOptions.json)
    showsPlaceholder = arguments.has(Self.placeholder)
    limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    let reader = InputReader(limits: limits)
    return report.forEach(inputs) { input in
      let bytes = try reader.bytes(of: input)
      let work = WorkContext(limits: limits)
      let header = try reader.coder.probe(bytes, work: work)
      let placeholder = showsPlaceholder ? try Placeholder(of: bytes, coder: reader.coder, work: work) : nil
      report.success(
        json(input, header, bytes).adding(placeholder?.json ?? [:]),
        text(input, header, bytes) + (placeholder?.text ?? ""))
    }
  }

  private func json(_ input: String, _ header: ImageHeader, _ bytes: ImageBytes) -> JSON {
    [
      "input": .string(Input.name(input)),
      "format": .string(FormatNames.name(of: header.format)),
      "width": .integer(header.storedSize.width),
      "height": .integer(header.storedSize.height),
      "frames": .integer(header.frameCount),
      "loopCount": .optional(header.storedLoopCount),
      "plays": .integer(header.loopCount),
      "durationMs": .milliseconds(header.storedDelays.reduce(.zero, +)),
      "durationsMs": .array(header.storedDelays.map { .milliseconds($0) }),
      "hasAlpha": .boolean(header.hasAlpha),
      "bitDepth": .integer(header.bitDepth),
      "orientation": .integer(header.orientation.rawValue),
      "iccBytes": .integer(header.iccProfileBytes),
      "exifBytes": .integer(header.exifBytes),
      "bytes": .integer(bytes.count),
    ]
  }

  private func text(_ input: String, _ header: ImageHeader, _ bytes: ImageBytes) -> String {
    var parts = ["\(FormatNames.name(of: header.format)) \(header.storedSize)", "\(header.bitDepth) bits"]
    if header.hasAlpha { parts.append("alpha") }
    if header.frameCount > 1 {
      let plays = header.loopCount == 0 ? "for ever" : header.loopCount == 1 ? "once" : "\(header.loopCount) times"
      let duration = Quantity.duration(header.storedDelays.reduce(.zero, +))
      parts.append("\(header.frameCount) frames in \(duration), played \(plays)")
    }
    if header.orientation != .up { parts.append("orientation \(header.orientation.rawValue)") }
    if header.iccProfileBytes > 0 { parts.append("ICC profile of \(Quantity.bytes(header.iccProfileBytes))") }
    if header.exifBytes > 0 { parts.append("EXIF of \(Quantity.bytes(header.exifBytes))") }
    parts.append(Quantity.bytes(bytes.count))
    return "\(printable(Input.name(input))): \(parts.joined(separator: ", "))"
  }
}
