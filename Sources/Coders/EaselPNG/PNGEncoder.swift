import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at smaller sizes if a limit of bytes demands it.
struct PNGEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ image: Image) throws -> Data {
    let box = options.maxPixelSize ?? PixelSize(width: 0, height: 0)
    let size = image.size.thumbnail(in: box)
    try work.limits.check(frame: size, claimedBy: "PNG: the picture to be written")
    let effort = PNGEffort(options)
    let data = try write(image, size, level: effort.level, allowsPalette: options.allowsPalette)
    guard let limit = options.maxFileBytes, data.count > limit else { return data }
    // The best compression is tried first, because it costs no pixels.
    return try FileSizeSearch(limit: limit, name: "PNG").bySize(from: size) {
      try write(image, $0, level: max(9, effort.level), allowsPalette: true)
    }.data
  }

  private func write(_ image: Image, _ size: PixelSize, level: Int, allowsPalette: Bool) throws -> Data {
    let blocks = PNGMetadataBlocks(image.metadata, options)
    if let frames = try CheckedFrames(of: image, size: size, name: "PNG", options: options, work: work) {
      return try PNGAnimationWriter(frames, size: size, level: level, work: work).write(with: blocks)
    }
    let bitmap = try image.bitmap.resized(to: size, work: work)
    let samples = try PNGWrittenSamples(
      bitmap, allowsPalette: allowsPalette, palette: options.settings[.pngPalette],
      hasGrayProfile: blocks.hasGrayProfile, work: work)
    var writer = PNGChunkWriter()
    samples.append(to: &writer) { blocks.append(to: &$0) }
    try samples.withCompressed(level: level, work: work) { writer.append(.data, pieces: $0) }
    writer.append(.end, [])
    return writer.data
  }
}
