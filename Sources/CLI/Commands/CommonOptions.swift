import Easel

/// The options that several commands share.
enum CommonOptions {
  static let json = Option<Bool>.flag("json", "Print one line of JSON for each result, also for an input that fails.")

  static let noProgress = Option<Bool>.flag("no-progress", "Show no progress, also on a terminal.")

  static let maxPixels = Option<Int>.integer(
    "max-pixels", "N", in: 1...1_000_000_000_000,
    "Refuse pictures with more than N pixels in a frame, before memory is used for them. The default is 100 million.")

  static let damaged = Option<DamagePolicy>.choice(
    "damaged", "POLICY",
    "What becomes of damaged pictures: refuse is an error for any damage, whole shows those that have all their pixels, "
      + "and show also shows what is left of others. The default is whole.")

  static let repeats = Option<Int>.integer(
    "repeat", "N", in: 1...1_000_000, "Do the work N times and report the median time. The result is written once.")

  static let output = Option<String>.text(
    "output", letter: "o", "FILE", "The file to write; - means standard output.", completion: .files)

  static let quality = Option<WantedQuality>(
    OptionDescription(
      name: "quality", placeholder: "Q",
      expectation: "a number from 0 to 1, or from 2 to 100, or auto, or a score as in auto:75",
      help: "The quality of lossy formats, from 0 to 1 or from 2 to 100, which looks equally good in all of them. The "
        + "default is 0.8. With auto:75 each picture gets the quality at which its SSIMULACRA2 score is 75; auto alone "
        + "means \(Int(ScoreTarget.usualScore)).",
      completion: .words(["auto"]))
  ) { WantedQuality(reading: $0) }

  static let jobs = Option<Int>.integer(
    "jobs", "N", in: 1...256, "How many pictures to work on at the same time. The default is the number of processors.")

  static let format = Option<ImageFormat>(
    OptionDescription(
      name: "format", placeholder: "NAME", expectation: "the name of a format that is written, such as png or jpeg",
      help: "The format to write, whatever the name of the file says.", completion: .words(FormatNames.writtenNames))
  ) { FormatNames.writtenFormat(named: $0) }

  static let thumbnail = size(
    "thumbnail", "Decode pictures at a size that fits in W by H pixels.",
    expectation: "a size such as 320x240, or 320 for a square; with a side of 0 the picture keeps its size")

  static let fidelity = Option<Fidelity>(
    OptionDescription(
      name: "fidelity", placeholder: "HOW",
      expectation: "one of \(Fidelity.allCases.map(\.name).joined(separator: ", "))",
      help: "The care with which pictures become smaller: fast averages the numbers of their colours, faithful, the "
        + "default, the light of several times the pixels, and exact the light of all pixels.",
      completion: .words(Fidelity.allCases.map(\.name)))
  ) { Fidelity(named: $0) }

  static func size(
    _ name: String, _ help: String,
    expectation: String = "a size such as 320x240, where one side may be 0 to leave it free, or 320 for a square"
  ) -> Option<PixelSize> {
    Option(OptionDescription(name: name, placeholder: "WxH", expectation: expectation, help: help)) {
      PixelSize(reading: $0)
    }
  }

  /// The treatment of damaged pictures.
  static func damaged(_ arguments: Arguments) throws(UsageError) -> DamagePolicy {
    try arguments.value(damaged) ?? .whole
  }

  /// Applies the wanted quality, if there is one.
  static func applyQuality(_ arguments: Arguments, to options: inout EncodeOptions) throws(UsageError) {
    try arguments.value(quality)?.apply(to: &options)
  }
}

extension PixelSize {
  /// Reads `320x240`, `320x0`, `320x`, `x240`, and `320` for a square.
  init?(reading text: String) {
    let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    let numbers = sides.map { side -> Int? in
      if side.isEmpty && sides.count == 2 { return 0 }
      guard side.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
      return Int(side)
    }
    guard (1...2).contains(numbers.count), let width = numbers.first!, let height = numbers.last!,
      max(width, height) > 0, max(width, height) <= 1_000_000
    else { return nil }
    self.init(width: width, height: height)
  }
}

extension Limits {
  /// The limits for a command line.
  init(maxPixels: Int?) {
    self.init()
    // A picture that is small enough to be read may also be written.
    resultSide = side
    guard let maxPixels else { return }
    // If users allow more pixels, they allow them for every kind of picture, and with sides of any length.
    progressiveJPEGPixels = maxPixels
    if maxPixels > framePixels {
      side = Int(Int32.max)
      totalPixels = max(totalPixels, maxPixels)
    }
    framePixels = maxPixels
    (resultSide, resultPixels) = (side, max(resultPixels, maxPixels))
  }
}
