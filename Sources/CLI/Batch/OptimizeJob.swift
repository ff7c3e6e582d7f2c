import Easel
import EaselFormats
import EaselPixels
import EaselService
import Glibc

/// Makes the files of a batch smaller, each in its place or in a new file.
struct OptimizeJob: Sendable {
  /// The names of the results; nil to replace the originals.
  let pattern: OutputPattern?
  let options: BatchOptions
  let coder: CoderRegistry
  let limits: Limits
  let quality: Double?
  let leastSimilarity: Double?
  let keepsMetadata: Bool
  let keepsTime: Bool
  let room = MemoryRoom.ofThisMachine

  /// The finding about a file: smaller bytes, or the reason why there are none.
  private enum Finding {
    case smaller(ImageBytes, similarity: Double?)
    case kept(String)
  }

  func optimize(_ input: BatchInput) throws -> BatchOutcome {
    let before = input.path.flatMap { FileTime(ofFile: $0) }
    let bytes = try InputReader(limits: limits, coder: coder).bytes(of: input.word).loaded()
    var watch = Stopwatch()
    let header = try coder.probe(bytes, work: WorkContext(limits: limits))
    let path = path(of: input, header)
    if let reason = try reasonToPass(input, path, before) { return .passedOver(input.word, path, reason) }
    let finding = try watch.measure { try room.run(footprint(of: header)) { try smaller(bytes, header) } }
    switch finding {
    case .smaller(let result, let similarity):
      try write(result, to: path, before)
      return outcome(input, path, header, (bytes.count, result.count), similarity, watch.total)
    case .kept(let reason):
      guard pattern != nil else { return .passedOver(input.word, path, reason) }
      try write(bytes, to: path, before)
      return outcome(input, path, header, (bytes.count, bytes.count), nil, watch.total)
    }
  }

  private func path(of input: BatchInput, _ header: ImageHeader) -> String {
    guard let pattern else { return input.path ?? input.word }
    var values = input.values
    (values.format, values.size) = (header.format, header.uprightSize)
    return pattern.path(values)
  }

  private func reasonToPass(_ input: BatchInput, _ path: String, _ before: FileTime?) throws(ImageError) -> String? {
    guard pattern != nil else { return nil }
    if input.isFound, BatchPlan.isItself(input, path) { return "because it would be written to itself" }
    return try options.existing.allows(path, from: before) ? nil : "because it is there already"
  }

  // MARK: Search

  private func smaller(_ bytes: ImageBytes, _ header: ImageHeader) throws -> Finding {
    guard coder.canEncode(header.format) else { return .kept("because this format is not written") }
    if try Self.isLossless(bytes, header.format) { return try recompressed(bytes, header.format) }
    if let quality {
      let result = try lossy(bytes, header.format, quality)
      return result.count < bytes.count
        ? .smaller(result, similarity: nil) : .kept("because that quality makes it no smaller")
    }
    if let leastSimilarity { return try leastSimilar(bytes, header.format, leastSimilarity) }
    return .kept("because it would lose something without --quality or --min-ssim saying how much")
  }

  /// True for files that lose nothing when they are written again.
  private static func isLossless(_ bytes: ImageBytes, _ format: ImageFormat) throws -> Bool {
    switch format {
    case .png, .gif: return true
    case .webp: return try bytes.part(at: 12, count: 4) == Array("VP8L".utf8)
    default: return false
    }
  }

  /// The same pixels in fewer bytes, or the reason why this is impossible.
  private func recompressed(_ bytes: ImageBytes, _ format: ImageFormat) throws -> Finding {
    var conversion = conversion(to: format)
    conversion.decodeOptions = Self.asStored
    conversion.encodeOptions.lossless = true
    conversion.encodeOptions.compressionLevel = 9
    conversion.encodeOptions.allowsPalette = true
    let result = try conversion.run(on: bytes).bytes
    guard result.count < bytes.count else { return .kept("because it cannot be made smaller without loss") }
    for options in [Self.asStored, Self.asSeen] {
      guard try isEqual(decoded(bytes, options), decoded(result, options)) else {
        return .kept("because it cannot be written anew without loss")
      }
    }
    return .smaller(result, similarity: nil)
  }

  private func lossy(_ bytes: ImageBytes, _ format: ImageFormat, _ quality: Double) throws -> ImageBytes {
    var conversion = conversion(to: format)
    conversion.decodeOptions.convertsColor = false
    conversion.encodeOptions.quality = quality
    return try conversion.run(on: bytes).bytes
  }

  /// The smallest file that is similar enough, found by bisecting the range of qualities.
  private func leastSimilar(_ bytes: ImageBytes, _ format: ImageFormat, _ least: Double) throws -> Finding {
    let original = try decoded(bytes, Self.asSeen)
    var (low, high) = (0.2, 1.0)
    var best: (bytes: ImageBytes, similarity: Double)?
    for _ in 0..<6 {
      let middle = (low + high) / 2
      let result = try lossy(bytes, format, middle)
      let figures = try ImageComparison(original, decoded(result, Self.asSeen)).figures
      let similarity = figures?.similarity ?? 0
      if similarity >= least {
        high = middle
        if result.count < best?.bytes.count ?? bytes.count { best = (result, similarity) }
      } else {
        low = middle
      }
    }
    guard let best else { return .kept("because no smaller file is as similar") }
    return .smaller(best.bytes, similarity: best.similarity)
  }

  private func conversion(to format: ImageFormat) -> Conversion {
    var conversion = Conversion(coder: coder)
    conversion.limits = limits
    conversion.format = format
    conversion.encodeOptions.keepsMetadata = keepsMetadata
    return conversion
  }

  // MARK: Comparison

  private static let asStored: DecodeOptions = {
    var options = DecodeOptions()
    (options.appliesOrientation, options.convertsColor, options.keeps16Bits) = (false, false, true)
    return options
  }()

  private static let asSeen: DecodeOptions = {
    var options = DecodeOptions()
    options.keeps16Bits = true
    return options
  }()

  private func decoded(_ bytes: ImageBytes, _ options: DecodeOptions) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext(limits: limits))
  }

  /// True if two pictures have equal pixels, even where they are transparent, and equal profiles, motion and metadata.
  private func isEqual(_ first: Image, _ second: Image) throws -> Bool {
    let (left, right) = (first.metadata, second.metadata)
    guard first.size == second.size, left.orientation == right.orientation, left.iccProfile == right.iccProfile,
      left.color == right.color, !keepsMetadata || left.exif == right.exif && left.xmp == right.xmp
    else { return false }
    let count = ImageComparison.count(first)
    guard count == ImageComparison.count(second) else { return false }
    guard count > 1, let frames = first.frames, let others = second.frames else {
      return try Self.isEqual(first.bitmap, second.bitmap)
    }
    guard frames.loopCount == others.loopCount else { return false }
    for index in 0..<count {
      guard frames.duration(at: index) == others.duration(at: index),
        try Self.isEqual(frames.frame(at: index), others.frame(at: index))
      else { return false }
    }
    return true
  }

  private static func isEqual(_ first: Bitmap, _ second: Bitmap) throws -> Bool {
    let isWide = [first, second].contains { $0.format.layout == .rgba16 }
    let format = PixelFormat(isWide ? .rgba16 : .rgba8, alpha: .straight)
    return try first.converted(to: format) == second.converted(to: format)
  }

  // MARK: Results

  private func write(_ bytes: ImageBytes, to path: String, _ before: FileTime?) throws {
    guard !options.isDryRun else { return }
    if pattern == nil, FileTime(ofFile: path) != before {
      throw ImageError(
        .encodeFailed, "\(path) was changed by another program meanwhile, and stays as it is.", subject: path)
    }
    if pattern?.isOneFile == false { try OutputFile.makeDirectory(of: path) }
    try OutputFile.write(bytes, to: path, mayReplace: pattern == nil || options.existing.mayReplace)
    if keepsTime, let before { before.give(toFile: path) }
  }

  private func outcome(
    _ input: BatchInput, _ path: String, _ header: ImageHeader, _ bytes: (before: Int, after: Int),
    _ similarity: Double?, _ time: Duration
  ) -> BatchOutcome {
    var json: JSON = [
      "input": .string(Input.name(input.word)), "output": .string(path),
      "format": .string(FormatNames.program.name(of: header.format)), "bytesBefore": .integer(bytes.before),
      "bytes": .integer(bytes.after), "ms": .milliseconds(time),
    ]
    if let similarity { json = json.adding(["ssim": .number((similarity * 1e6).rounded(.down) / 1e6)]) }
    if options.isDryRun { json = json.adding(["dryRun": true]) }
    let share = Double(bytes.before - bytes.after) / Double(max(1, bytes.before)) * 100
    let change =
      bytes.after < bytes.before
      ? "\(Quantity.bytes(bytes.before)) \(options.isDryRun ? "could become" : "became") "
        + "\(Quantity.bytes(bytes.after)), \(Quantity.decimals(share, 1)) % saved"
      : "copied, because it cannot be made smaller"
    return .written(json, "\(printable(path)): \(change)", bytes: bytes)
  }

  private func footprint(of header: ImageHeader) -> Int {
    guard options.jobs > 1 else { return 0 }
    // The comparison holds the pixels of both files, and copies of these pixels in a common format.
    let comparison = header.storedSize.area * (header.bitDepth > 8 ? 32 : 16)
    return WorkFootprint(decoding: header, as: header.format).bytes + comparison
  }
}
