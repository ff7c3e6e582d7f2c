import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at lower quality or smaller if the file has a size limit.
struct AVIFEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ stored: Image) throws -> Data {
    let image = try stored.withoutGrayProfile(keepsGray: true, work: work)
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "AVIF: the picture to be written")
    let settings = AVIFEncodeSettings(options)
    guard let limit = options.maxFileBytes else { return try write(image, size, settings) }
    let search = FileSizeSearch(limit: limit, name: "AVIF")
    guard options.lossless else {
      return try search.byQuality(from: size, quality: settings.quality) { size, quality in
        try write(image, size, settings.at(quality: quality))
      }
    }
    return try search.bySize(from: size) { try write(image, $0, settings) }.data
  }

  private func write(_ image: Image, _ size: PixelSize, _ settings: AVIFEncodeSettings) throws -> Data {
    try work.checkCancellation()
    guard let frames = try CheckedFrames(of: image, size: size, name: "AVIF", options: options, work: work) else {
      let bitmap = try image.bitmap.resized(to: size, work: work)
      let writer = try AVIFWriter(bitmap.format, size, image.metadata, settings, options)
      try writer.add(bitmap, milliseconds: 0, work: work)
      return lit(try writer.file(), image)
    }
    return try write(frames, of: image, size, settings)
  }

  private func write(_ frames: CheckedFrames, of image: Image, _ size: PixelSize, _ settings: AVIFEncodeSettings) throws
    -> Data
  {
    var format = image.bitmap.format.stored
    // Usually all frames have one format. If a later one turns out to have alpha or more bits, all are written anew.
    while true {
      let writer = try AVIFWriter(format, size, image.metadata, settings, options, isStill: false)
      let needed = try frames.add(in: format, at: size) { frame, milliseconds, _ in
        try writer.add(frame, milliseconds: UInt64(milliseconds), work: work)
      }
      guard let needed else { return try AVIFSequence(lit(try writer.file(), image)).playing(frames.loopCount) }
      format = needed
    }
  }

  /// The file with what the picture says about its light.
  private func lit(_ file: Data, _ image: Image) -> Data {
    AVIFLightWriter(image.metadata.color)?.added(to: file) ?? file
  }
}
