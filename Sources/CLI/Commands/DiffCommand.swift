import Easel

/// Describes how two pictures differ.
struct DiffCommand: Command {
  private static let mostDifference = Option<Int>.integer(
    "max-difference", "N", in: 0...65_535,
    "Take pictures as equal if no component differs by more than N steps of 8 bits, or of 16 bits if a picture has 16.")
  private static let leastSimilarity = Option<Double>.number(
    "min-ssim", "S", in: -1...1, "a number from -1 to 1", "Take pictures as equal if their similarity is at least S.")
  private static let output = Option<String>.text(
    "output", letter: "o", "FILE", "Draw the differences into this file; - means standard output.", completion: .files)

  static let description = CommandDescription(
    name: "diff", summary: "Say how two pictures differ.",
    operands: CommandDescription.Operands(spelling: "A B", count: 2...2, completion: .pictures),
    details: [
      "Pictures are compared as they are seen: upright, in sRGB, without the colours under transparent pixels. PSNR is that "
        + "of all components, in decibels. SSIM is the mean similarity of the luma in windows of 8 by 8 pixels, from 1 "
        + "(equal) downwards; transparent pictures are compared over black and over white, and the lower counts. "
        + "SSIMULACRA2 says how B looks to people who know A: 100 is equal, 90 cannot be told from A, 70 is high quality, 50 "
        + "medium, 30 low. Of moving pictures all frames are compared; SSIM, SSIMULACRA2 and the largest difference are "
        + "those of the worst frame.",
      "The exit status is 0 if the pictures are equal, 1 if they differ, and 2 if they could not be compared. Without "
        + "--max-difference and --min-ssim, equal means equal in every pixel. Pictures of different sizes always differ, and "
        + "so do moving pictures with other frames, times or plays.",
      "With --output, differences shine from red over yellow to white, on a dark grey copy of A.",
    ],
    options: [
      mostDifference.description, leastSimilarity.description, output.description, ExistingFiles.overwrite.description,
      CommonOptions.damaged.description,
      CommonOptions.maxPixels.description, CommonOptions.json.description,
    ] + SandboxOptions.all,
    examples: [
      .init("easel diff photo.png photo.jpg", "Say how much was lost."),
      .init("easel diff before.png after.png -o difference.png", "Show where they differ."),
      .init("easel diff --min-ssim 0.98 expected.png made.webp", "Let a script fail if they are not similar enough."),
    ])

  private let inputs: [String]
  private let mostDifference: Int?
  private let leastSimilarity: Double?
  private let output: String?
  private let format: ImageFormat
  private let mayReplace: Bool
  private let isJSON: Bool
  private let limits: Limits
  private let damaged: DamagePolicy
  private let coder: CoderRegistry

  init(_ arguments: Arguments) throws(UsageError) {
    inputs = arguments.operands
    guard inputs != ["-", "-"] else { throw UsageError("Only one of the pictures can come from standard input.") }
    mostDifference = try arguments.value(Self.mostDifference)
    leastSimilarity = try arguments.value(Self.leastSimilarity)
    output = try arguments.value(Self.output)
    mayReplace = arguments.has(ExistingFiles.overwrite)
    isJSON = arguments.has(CommonOptions.json)
    guard output != "-" || !isJSON else {
      throw UsageError("The picture and the JSON cannot both go to standard output. Name a file with --output.")
    }
    if output == "-" { try OutputDestination.refuseTerminal() }
    if let output, output != "-" {
      guard let format = FormatNames.writtenFormat(ofFile: output) else {
        throw UsageError("The name '\(printable(output))' does not end like a format that is written, such as .png.")
      }
      self.format = format
    } else {
      format = .png
    }
    limits = Limits(maxPixels: try arguments.value(CommonOptions.maxPixels))
    damaged = try CommonOptions.damaged(arguments)
    coder = try SandboxOptions.use(arguments).coders
  }

  func run(_ console: Console) -> ExitStatus {
    let report = Report(console, isJSON: isJSON)
    var images: [Image] = []
    let reader = InputReader(limits: limits, coder: coder)
    for input in inputs {
      do { images.append(try image(of: input, reader)) } catch { report.failure(of: input, error) }
    }
    // As in other programs that compare, 2 means that the pictures could not be compared.
    guard images.count == 2 else { return .usage }
    do {
      let comparison = try ImageComparison(images[0], images[1])
      try draw(comparison, console)
      let isEqual = isEqual(comparison)
      let verdict = comparison.verdict(isEqual: isEqual)
      if output == "-" {
        console.note(verdict)
      } else {
        report.success(comparison.json(inputs, isEqual: isEqual), verdict)
      }
      return isEqual ? .success : .failure
    } catch {
      report.failure(of: inputs[1], error)
      return .usage
    }
  }

  private func image(of input: String, _ reader: InputReader) throws -> Image {
    var options = DecodeOptions()
    options.keeps16Bits = true
    options.damaged = damaged
    return try coder.decode(try reader.bytes(of: input), options: options, work: WorkContext(limits: limits))
  }

  private func isEqual(_ comparison: ImageComparison) -> Bool {
    guard let figures = comparison.figures, comparison.isSameMotion else { return false }
    if mostDifference == nil && leastSimilarity == nil { return figures.largest == 0 }
    return figures.largest <= mostDifference ?? .max && figures.similarity >= leastSimilarity ?? -.infinity
  }

  private func draw(_ comparison: ImageComparison, _ console: Console) throws {
    guard let output else { return }
    guard let drawing = try comparison.drawing() else {
      return console.note("easel: The pictures have different sizes, so \(printable(output)) was not drawn.")
    }
    let encoded = try CoderRegistry.standard.encode(
      Image(drawing), as: format, options: EncodeOptions(), work: WorkContext(limits: limits))
    try OutputFile.write(encoded, to: output, mayReplace: mayReplace)
  }
}

extension ImageComparison {
  func json(_ inputs: [String], isEqual: Bool) -> JSON {
    [
      "a": Self.json(inputs[0], first), "b": Self.json(inputs[1], second), "equal": .boolean(isEqual),
      "sizeEqual": .boolean(figures != nil), "motionEqual": .boolean(isSameMotion),
      // JSON has no infinity, which is the ratio for equal pictures.
      "psnr": figures.map { .number(($0.signalToNoise * 1000).rounded() / 1000) } ?? .null,
      "ssim": figures.map { .number(($0.similarity * 1e6).rounded(.down) / 1e6) } ?? .null,
      "ssimulacra2": figures.map { .number(($0.visualScore * 1e4).rounded(.down) / 1e4) } ?? .null,
      "maxDifference": .optional(figures?.largest), "differingPixels": .optional(figures?.pixels),
      "steps": .optional(figures?.peak), "framesCompared": .integer(figures?.frames ?? 0),
      "worstFrame": .optional(figures.flatMap { $0.largest > 0 ? $0.worstFrame : nil }),
    ]
  }

  private static func json(_ input: String, _ image: Image) -> JSON {
    [
      "input": .string(Input.name(input)), "width": .integer(image.size.width), "height": .integer(image.size.height),
      "frames": .integer(count(image)), "bits": .integer(image.bitmap.format.layout.bitsPerComponent),
      "hasAlpha": .boolean(image.bitmap.format.alpha != .opaque),
    ]
  }

  /// The comparison as one line for people.
  func verdict(isEqual: Bool) -> String {
    guard let figures else { return "different: A is \(first.size), B is \(second.size)" }
    var parts: [String] = []
    let counts = [Self.count(first), Self.count(second)]
    if counts[0] != counts[1] {
      parts.append("A has \(counts[0]) frames, B has \(counts[1])")
    } else if !isSameMotion {
      parts.append("the frames have other times or plays")
    }
    guard figures.largest > 0 else {
      let what = figures.frames > 1 ? "all \(figures.frames) frames" : "every pixel"
      if parts.isEmpty { return "equal in \(what)" }
      return "different: \(parts[0]); the pixels compared are equal"
    }
    parts.append("PSNR \(Quantity.decimals(figures.signalToNoise, 2)) dB")
    // The value is rounded down, so that 1 means equal.
    parts.append("SSIM \(Quantity.decimals((figures.similarity * 1e4).rounded(.down) / 1e4, 4))")
    parts.append("SSIMULACRA2 \(Quantity.decimals((figures.visualScore * 100).rounded(.down) / 100, 2))")
    parts.append("largest difference \(figures.largest) of \(figures.peak)")
    let share = Double(figures.pixels) / Double(max(1, first.size.width * first.size.height)) * 100
    parts.append("\(share < 0.1 ? "less than 0.1" : Quantity.decimals(share, 1)) % of the pixels differ")
    if figures.frames > 1 { parts.append("worst in frame \(figures.worstFrame)") }
    return "\(isEqual ? "equal enough" : "different"): \(parts.joined(separator: ", "))"
  }
}
