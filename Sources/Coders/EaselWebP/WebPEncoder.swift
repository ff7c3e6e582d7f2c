import CEaselWebP
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at smaller sizes if a limit of bytes demands it.
struct WebPEncoder {
  let options: EncodeOptions
  let work: WorkContext
  /// The quality that libwebp takes.
  private let quality: Double

  init(options: EncodeOptions, work: WorkContext) {
    (self.options, self.work) = (options, work)
    quality = LooksTable.webp.library(options)
  }

  func encode(_ image: Image) throws -> Data {
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "WebP: the picture to be written")
    try checkSides(of: size)
    guard let limit = options.maxFileBytes else {
      return try write(image, size, quality: quality, effort: options.compressionLevel)
    }
    let search = FileSizeSearch(limit: limit, name: "WebP")
    guard options.lossless else {
      return try search.byQuality(from: size, quality: quality) { size, quality in
        try write(image, size, quality: quality, effort: options.compressionLevel)
      }
    }
    let whole = try write(image, size, quality: quality, effort: options.compressionLevel)
    if whole.count <= limit { return whole }
    // The highest effort is tried first, because it costs no pixels. As it saves little and takes long, it is skipped
    // if it cannot suffice.
    let effort = whole.count - whole.count / 4 <= limit ? 9 : options.compressionLevel
    return try search.bySize(from: size) { try write(image, $0, quality: quality, effort: effort) }.data
  }

  private func checkSides(of size: PixelSize) throws(ImageError) {
    let longest = Int(EASEL_WEBP_LONGEST_SIDE)
    guard max(size.width, size.height) <= longest else {
      throw ImageError(
        .encodeFailed,
        "WebP: the format allows at most \(longest) pixels a side, but the picture is \(size). Set "
          + "EncodeOptions.maxPixelSize, or write PNG or JPEG.", cause: SideTooLong(of: .webp, pixels: longest))
    }
  }

  private func write(_ image: Image, _ size: PixelSize, quality: Double, effort: Int) throws -> Data {
    var way = WebPPixels.Way(isLossless: options.lossless, quality: quality, effort: effort)
    if let method = options.settings[.webpMethod] { way.method = method }
    let blocks = WebPMetadataBlocks(image.metadata, options)
    if let frames = try CheckedFrames(of: image, size: size, name: "WebP", options: options, work: work) {
      return try WebPAnimationWriter(frames, size: size, way: way, work: work).write(with: blocks)
    }
    let bitmap = try image.bitmap.resized(to: size, work: work).straightRGBA8(work: work)
    let pixels = try WebPPixels(bitmap, way, work: work)
    var features = blocks.features
    // If all pixels are opaque, only VP8X can say that the picture has an alpha channel.
    if bitmap.format.alpha != .opaque && !pixels.tellsAlpha { features.insert(.alpha) }
    var writer = WebPChunkWriter()
    if !features.isEmpty {
      if pixels.tellsAlpha { features.insert(.alpha) }
      writer.appendHeader(size, features)
    }
    if let profile = blocks.profile { writer.append(.profile, profile) }
    writer.append(pixels.chunks)
    if let exif = blocks.exif { writer.append(.exif, exif) }
    if let xmp = blocks.xmp { writer.append(.xmp, xmp) }
    return try writer.file()
  }
}

extension Bitmap {
  /// The pixels in the form that libwebp takes.
  func straightRGBA8(work: WorkContext) throws(ImageError) -> Bitmap {
    try converted(to: PixelFormat(.rgba8, alpha: format.alpha == .opaque ? .opaque : .straight), work: work)
  }
}
