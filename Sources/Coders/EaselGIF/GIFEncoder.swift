import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options.
///
/// A limit of bytes first reduces the number of colours, then the size.
struct GIFEncoder {
  let options: EncodeOptions
  let diffusesError: Bool
  let work: WorkContext

  func encode(_ image: Image) throws -> Data {
    let orientation = image.metadata.orientation
    let upright = orientation.swapsSides ? image.size.transposed : image.size
    let size = upright.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "GIF: the picture to be written")
    guard size.width <= 65_535, size.height <= 65_535 else {
      throw ImageError(
        .encodeFailed, "GIF: the format allows at most 65535 pixels a side, but the picture is \(size).",
        cause: SideTooLong(of: .gif, pixels: 65_535))
    }
    guard let limit = options.maxFileBytes else { return try write(image, size, quality: 1) }
    return try FileSizeSearch(limit: limit, name: "GIF").byQuality(from: size, quality: options.quality) {
      try write(image, $0, quality: $1)
    }
  }

  private func write(_ image: Image, _ size: PixelSize, quality: Double) throws -> Data {
    let frames = try CheckedFrames(of: image, size: size, name: "GIF", options: options, work: work)
    let source = GIFSourceFrames(
      image: image, frames: frames, size: size, background: options.backgroundColor, work: work)
    let count = frames?.count ?? 1
    let delays = try frames.map { frames in Self.delays(try (0..<count).map { try frames.duration(at: $0) }) } ?? [0]
    var writer = GIFFrameWriter(
      most: colors(for: quality), diffusesError: diffusesError, loss: GIFLoss(options), work: work)
    var frame = try source.frame(at: 0)
    for index in 0..<count {
      let next = index + 1 < count ? try source.frame(at: index + 1) : nil
      try writer.write(frame, before: next, delay: delays[index]) { file in
        if let frames { try addLoop(frames.loopCount, to: file) }
        try addMetadata(image.metadata, to: file)
      }
      if let next { frame = next }
    }
    return try writer.finish()
  }

  /// The number of colours: 256, or fewer if the quality is below the requested quality.
  private func colors(for quality: Double) -> Int {
    let wanted = FileSizeSearch.sensible(options.quality)
    guard quality < wanted else { return 256 }
    return max(4, Int(256 * quality / wanted))
  }

  private func addLoop(_ plays: Int, to file: GIFFileWriter) throws {
    // Without a loop block, players show the animation once.
    guard plays != 1 else { return }
    try file.addLoop(repeats: plays == 0 ? 0 : min(65_535, plays - 1))
  }

  private func addMetadata(_ metadata: ImageMetadata, to file: GIFFileWriter) throws {
    if let profile = metadata.iccProfile, !profile.isEmpty {
      try file.addApplication("ICCRGBG1012", Array(profile), isXMP: false)
    }
    if options.keepsMetadata, let xmp = metadata.xmp, !xmp.isEmpty {
      // The pixels are already upright.
      try file.addApplication("XMP DataXMP", Array(XMP(xmp).stating(.up).bytes), isXMP: true)
    }
  }

  /// The longest delay GIF can store, in hundredths of a second.
  private static let longestDelay = 65_535

  /// The delays in hundredths of a second, whose sum is as close as possible to the total duration.
  ///
  /// Each delay corrects the rounding of earlier delays. No delay is shorter than two, because players replace a delay
  /// of one by ten. A delay that is too long for GIF becomes the longest delay of the format.
  static func delays(_ durations: [Duration]) -> [Int] {
    var owed = 0.0
    return durations.map { duration in
      let wanted = min(Double(longestDelay), duration / .milliseconds(10)) + owed
      let delay = min(longestDelay, max(2, Int(wanted.rounded())))
      owed = wanted - Double(delay)
      return delay
    }
  }
}
