import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at lower quality or smaller if the file has a size limit.
struct JXLEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ stored: Image) throws -> Data {
    let image = try inStorableColors(stored)
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "JXL: the picture to be written")
    let settings = JXLEncodeSettings(options)
    guard let limit = options.maxFileBytes else { return try write(image, size, settings) }
    let search = FileSizeSearch(limit: limit, name: "JXL")
    guard options.lossless else {
      return try search.byQuality(from: size, quality: settings.quality) { size, quality in
        try write(image, size, settings.at(quality: quality))
      }
    }
    return try search.bySize(from: size) { try write(image, $0, settings) }.data
  }

  /// The picture in colours that libjxl can state.
  private func inStorableColors(_ stored: Image) throws -> Image {
    let image = try stored.withoutGrayProfile(keepsGray: true, work: work)
    guard let coding = image.metadata.storedColors.coding, coding.ofLibjxl == nil else { return image }
    return try image.withoutCodePoints(keeps16Bits: true, work: work)
  }

  private func write(_ image: Image, _ size: PixelSize, _ settings: JXLEncodeSettings) throws -> Data {
    try work.checkCancellation()
    guard let frames = try CheckedFrames(of: image, size: size, name: "JXL", options: options, work: work) else {
      let bitmap = try image.bitmap.resized(to: size, work: work)
      let writer = try JXLWriter(bitmap.format, size, image.metadata, settings, options)
      try writer.add(bitmap, milliseconds: 0, isLast: true, work: work)
      return try writer.file()
    }
    return try write(frames, of: image, size, settings)
  }

  private func write(_ frames: CheckedFrames, of image: Image, _ size: PixelSize, _ settings: JXLEncodeSettings) throws
    -> Data
  {
    var format = image.bitmap.format.stored
    // Usually all frames have one format. If a later one turns out to have alpha or more bits, all are written anew.
    while true {
      let writer = try JXLWriter(format, size, image.metadata, settings, options, plays: frames.loopCount)
      let needed = try frames.add(in: format, at: size) { frame, milliseconds, isLast in
        try writer.add(frame, milliseconds: UInt32(clamping: milliseconds), isLast: isLast, work: work)
      }
      guard let needed else { return try writer.file() }
      format = needed
    }
  }
}
