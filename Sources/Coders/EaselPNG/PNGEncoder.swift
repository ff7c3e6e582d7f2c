import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture as asked, again and smaller where the file has a limit.
struct PNGEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ image: Image) throws -> Data {
    let box = options.maxPixelSize ?? PixelSize(width: 0, height: 0)
    var size = image.size.thumbnail(in: box)
    try work.limits.check(frame: size, claimedBy: "PNG: the picture to be written")
    var data = try write(image, size, level: options.compressionLevel, allowsPalette: options.allowsPalette)
    guard let limit = options.maxFileBytes, data.count > limit else { return data }
    let smallest = data.count
    // What costs no pixel comes first.
    data = try write(image, size, level: 9, allowsPalette: true)
    while data.count > limit {
      guard size.area > 1 else {
        throw ImageError(
          .encodeFailed,
          "PNG: even one pixel takes \(data.count) bytes, over the limit of \(limit); the picture itself takes "
            + "\(smallest). Raise EncodeOptions.maxFileBytes.")
      }
      size = smaller(size, by: (Double(limit) / Double(data.count)).squareRoot())
      data = try write(image, size, level: 9, allowsPalette: true)
    }
    return data
  }

  /// Never by less than a tenth, so that it comes to an end soon.
  private func smaller(_ size: PixelSize, by factor: Double) -> PixelSize {
    let factor = min(0.9, factor)
    return PixelSize(
      width: max(1, Int(Double(size.width) * factor)), height: max(1, Int(Double(size.height) * factor)))
  }

  private func write(_ image: Image, _ size: PixelSize, level: Int, allowsPalette: Bool) throws -> Data {
    let level = min(9, max(0, level))
    let blocks = PNGMetadataBlocks(image.metadata, keepsAll: options.keepsMetadata)
    if let frames = image.frames, frames.count > 1, !options.firstFrameOnly {
      return try PNGAnimationWriter(frames, size: size, level: level, work: work).write(with: blocks)
    }
    let bitmap = try image.bitmap.resized(to: size, work: work)
    let samples = try PNGSamples(
      bitmap, allowsPalette: allowsPalette, hasGrayProfile: blocks.hasGrayProfile, work: work)
    var writer = PNGChunkWriter()
    for chunk in try samples.chunks(level: level, work: work) {
      writer.append(chunk.kind, chunk.content)
      if chunk.kind == .header { blocks.append(to: &writer) }
    }
    return writer.data
  }
}
