import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options, and again at lower quality or smaller if the file has a size limit.
struct JXLEncoder {
  let options: EncodeOptions
  let work: WorkContext

  func encode(_ image: Image) throws -> Data {
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "JXL: the picture to be written")
    let way = JXLWay(options)
    guard let limit = options.maxFileBytes else { return try write(image, size, way) }
    let search = FileSizeSearch(limit: limit, name: "JXL")
    guard options.lossless else {
      return try search.byQuality(from: size, quality: way.quality) { size, quality in
        try write(image, size, way.at(quality: quality))
      }
    }
    return try search.bySize(from: size) { try write(image, $0, way) }.data
  }

  private func write(_ image: Image, _ size: PixelSize, _ way: JXLWay) throws -> Data {
    try work.checkCancellation()
    guard let frames = try CheckedFrames(of: image, size: size, name: "JXL", options: options, work: work) else {
      let bitmap = try image.bitmap.resized(to: size, work: work)
      let writer = try JXLWriter(bitmap.format.written, size, image.metadata, way, options)
      try writer.add(bitmap, milliseconds: 0, isLast: true, work: work)
      return try writer.file()
    }
    return try write(frames, of: image, size, way)
  }

  private func write(_ frames: CheckedFrames, of image: Image, _ size: PixelSize, _ way: JXLWay) throws -> Data {
    var format = image.bitmap.format.written
    // Usually all frames have one format. If a later one turns out to have alpha or more bits, all are written anew.
    while true {
      let writer = try JXLWriter(format, size, image.metadata, way, options, plays: frames.loopCount)
      var (time, index) = (Duration.zero, 0)
      while index < frames.count {
        try work.checkCancellation()
        let frame = try frames.frame(at: index)
        let needed = format.joined(with: frame.format)
        guard needed == format else {
          format = needed
          break
        }
        let duration = try frames.duration(at: index)
        let ends = [time, time + duration].map { ($0 / .milliseconds(1)).rounded() }
        time += duration
        index += 1
        // Later frames make up for the rounding; a frame without time would become a part of the next.
        try writer.add(
          frame.resized(to: size, work: work), milliseconds: UInt32(clamping: Int(max(1, ends[1] - ends[0]))),
          isLast: index == frames.count, work: work)
        if index == frames.count { return try writer.file() }
      }
    }
  }
}

extension PixelFormat {
  /// The format that holds the pixels of both.
  fileprivate func joined(with other: PixelFormat) -> PixelFormat {
    if layout == .gray8 && other.layout == .gray8 { return self }
    let isWide = layout == .rgba16 || other.layout == .rgba16
    let isOpaque = alpha == .opaque && other.alpha == .opaque
    return PixelFormat(isWide ? .rgba16 : .rgba8, alpha: isOpaque ? .opaque : .straight)
  }

  /// The format in which pixels are written.
  fileprivate var written: PixelFormat { joined(with: self) }
}
