import Easel

/// Prints the contents of pictures' headers.
struct InfoCommand: Command {
  private static let damaged = Option<DamagePolicy>.choice(
    "damaged", "POLICY",
    "Decode the picture too, and fail if it is damaged: refuse is an error for any damage, whole only if pixels are "
      + "missing, and show only if nothing can be shown. What is missing is noted.")
  private static let placeholder = Option<Bool>.flag(
    "placeholder", "Decode the picture too, and print its ThumbHash in base64, its BlurHash and its dominant colour.")

  static let description = CommandDescription(
    name: "info", summary: "Print what the headers of pictures say.", operands: .inputs,
    details: [
      "Values are as they are stored: width and height are not rotated, and delays are raw. Only headers are read, so "
        + "a picture may still turn out to be damaged.",
      "Colours by code points are those of ITU-T H.273: primaries, transfer curve, matrix. A gain map makes an Ultra HDR "
        + "picture brighter on displays with so many stops of headroom. Parts that are wrong and ignored are noted, and so is "
        + "a missing end.",
      "With --placeholder, the picture is decoded as well: upright, in sRGB, and no larger than placeholders need. The "
        + "dominant colour comes with the share of the visible picture that it covers.",
    ],
    options: [
      placeholder.description, damaged.description, CommonOptions.json.description, CommonOptions.maxPixels.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel info photo.jpg animation.gif", "Print a line about each picture."),
      .init("easel info --json *.png", "The same for programs: one JSON object per line."),
      .init("easel info --placeholder photo.jpg", "Print what a page can show until the photo has arrived."),
      .init("curl -s https://example.com/a.webp | easel info -", "Read a picture from standard input."),
    ])

  private let inputs: [String]
  private let isJSON: Bool
  private let showsPlaceholder: Bool
  private let damaged: DamagePolicy?
  private let limits: Limits
  private let coder: CoderRegistry

  init(_ arguments: Arguments) throws(UsageError) {
    inputs = arguments.operands
    isJSON = arguments.has(CommonOptions.json)
    showsPlaceholder = arguments.has(Self.placeholder)
    damaged = try arguments.value(Self.damaged)
    limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    coder = try SandboxOptions.use(arguments).coders
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    let reader = InputReader(limits: limits, coder: coder)
    return report.forEach(inputs) { input in
      let bytes = try reader.bytes(of: input)
      let work = WorkContext(limits: limits)
      var header = try reader.coder.probe(bytes, work: work)
      let image = try decoded(bytes, by: reader.coder, work)
      for note in image?.metadata.notes ?? [] where !header.notes.contains(note) { header.notes.append(note) }
      let placeholder = showsPlaceholder ? try image.map { try Placeholder(of: $0, work: work) } : nil
      let isPartial = image?.traits.contains(.partial) == true
      report.success(
        json(input, header, bytes).adding(rareFields(header)).adding(isPartial ? ["partial": .boolean(true)] : [:])
          .adding(placeholder?.json ?? [:]),
        text(input, header, bytes) + (placeholder?.text ?? ""))
    }
  }

  /// The decoded picture; nil if the header suffices.
  private func decoded(_ bytes: ImageBytes, by coder: CoderRegistry, _ work: WorkContext) throws -> Image? {
    guard showsPlaceholder || damaged != nil else { return nil }
    return try coder.decode(bytes, options: Placeholder.options(damaged: damaged ?? .whole), work: work)
  }

  private func json(_ input: String, _ header: ImageHeader, _ bytes: ImageBytes) -> JSON {
    [
      "input": .string(Input.name(input)),
      "format": .string(FormatNames.program.name(of: header.format)),
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

  /// The fields that only few pictures have.
  private func rareFields(_ header: ImageHeader) -> JSON {
    var fields: [JSON.Field] = []
    if let color = header.color { fields.append(JSON.Field(name: "color", value: json(color))) }
    if let map = header.gainMap { fields.append(JSON.Field(name: "gainMap", value: json(map))) }
    if !header.notes.isEmpty {
      fields.append(JSON.Field(name: "notes", value: .array(header.notes.map { .string($0) })))
    }
    return .object(fields)
  }

  private func json(_ color: ColorDescription) -> JSON {
    [
      "primaries": .integer(color.coding.primaries),
      "transfer": .integer(color.coding.transfer),
      "matrix": .integer(color.coding.matrix),
      "fullRange": .boolean(color.coding.isFullRange),
      "masteringPeak": color.masteringDisplay.map { .number($0.greatestLuminance) } ?? .null,
      "maxCLL": .optional(color.contentLight?.greatest),
      "maxFALL": .optional(color.contentLight?.greatestAverage),
    ]
  }

  private func json(_ map: GainMap.Header) -> JSON {
    [
      "width": .integer(map.size.width),
      "height": .integer(map.size.height),
      "bytes": .integer(map.byteCount),
      "headroom": .number(map.formula.alternateHeadroom),
      "gainMin": .array((0..<3).map { .number(map.formula.leastGain[$0]) }),
      "gainMax": .array((0..<3).map { .number(map.formula.greatestGain[$0]) }),
      "gamma": .array((0..<3).map { .number(map.formula.gamma[$0]) }),
    ]
  }

  private func text(_ color: ColorDescription) -> String {
    let codes = "\(color.coding.primaries)/\(color.coding.transfer)/\(color.coding.matrix)"
    let curve = color.coding.transfer == 16 ? "PQ" : color.coding.transfer == 18 ? "HLG" : nil
    return "colours by code points \(codes)" + (curve.map { " (\($0))" } ?? "")
  }

  private func text(_ input: String, _ header: ImageHeader, _ bytes: ImageBytes) -> String {
    var parts = ["\(FormatNames.program.name(of: header.format)) \(header.storedSize)", "\(header.bitDepth) bits"]
    if header.hasAlpha { parts.append("alpha") }
    if header.frameCount > 1 && header.format == .tiff {
      parts.append("\(header.frameCount) pages")
    } else if header.frameCount > 1 {
      let plays = header.loopCount == 0 ? "for ever" : header.loopCount == 1 ? "once" : "\(header.loopCount) times"
      let duration = Quantity.duration(header.storedDelays.reduce(.zero, +))
      parts.append("\(header.frameCount) frames in \(duration), played \(plays)")
    }
    if header.orientation != .up { parts.append("orientation \(header.orientation.rawValue)") }
    if header.iccProfileBytes > 0 { parts.append("ICC profile of \(Quantity.bytes(header.iccProfileBytes))") }
    if let color = header.color { parts.append(text(color)) }
    if let map = header.gainMap {
      // The headroom is a power of two, relative to the light of white.
      let stops = (map.formula.alternateHeadroom * 10).rounded() / 10
      parts.append("gain map of \(map.size) for \(stops) stops in \(Quantity.bytes(map.byteCount))")
    }
    if header.exifBytes > 0 { parts.append("EXIF of \(Quantity.bytes(header.exifBytes))") }
    parts.append(Quantity.bytes(bytes.count))
    let notes = header.notes.map { "\n  \(printable($0))" }.joined()
    return "\(printable(Input.name(input))): \(parts.joined(separator: ", "))\(notes)"
  }
}
