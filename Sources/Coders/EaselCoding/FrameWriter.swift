import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a file through a library that takes one frame after another.
package protocol FrameWriter {
  associatedtype Settings: FrameSettings

  /// The name of the format, which begins error messages.
  static var formatName: String { get }

  /// Begins a file for pixels of one format; `plays` is nil for a still picture.
  init(
    _ format: PixelFormat, _ size: PixelSize, _ metadata: ImageMetadata, _ settings: Settings, _ options: EncodeOptions,
    plays: Int?
  ) throws(ImageError)

  /// Compresses a frame, after a conversion if the frame has another format.
  func add(_ bitmap: Bitmap, milliseconds: Int, isLast: Bool, work: WorkContext) throws(ImageError)

  /// The file, after the last frame.
  func file() throws(ImageError) -> Data
}

/// The settings of a compression that may be lossy.
package protocol FrameSettings {
  /// The quality from 0 to 1.
  var quality: Double { get }
  /// These settings at another quality.
  func at(quality: Double) -> Self
}

extension FrameWriter {
  /// The file of an image with the given options, at a lower quality or a smaller size if a limit of bytes demands it.
  package static func file(
    of image: Image, _ settings: Settings, _ options: EncodeOptions, work: WorkContext
  ) throws -> Data {
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "\(formatName): the picture to be written")
    func write(_ size: PixelSize, _ settings: Settings) throws -> Data {
      try file(of: image, at: size, settings, options, work: work)
    }
    guard let limit = options.maxFileBytes else { return try write(size, settings) }
    let search = FileSizeSearch(limit: limit, name: formatName)
    if options.lossless { return try search.bySize(from: size) { try write($0, settings) }.data }
    return try search.byQuality(from: size, quality: settings.quality) { try write($0, settings.at(quality: $1)) }
  }

  private static func file(
    of image: Image, at size: PixelSize, _ settings: Settings, _ options: EncodeOptions, work: WorkContext
  ) throws -> Data {
    try work.checkCancellation()
    guard let frames = try CheckedFrames(of: image, size: size, name: formatName, options: options, work: work) else {
      let bitmap = try image.bitmap.resized(to: size, work: work)
      let writer = try Self(bitmap.format, size, image.metadata, settings, options, plays: nil)
      try writer.add(bitmap, milliseconds: 0, isLast: true, work: work)
      return try writer.file()
    }
    var format = image.bitmap.format.stored
    // Usually all frames have one format. If a later frame has alpha or more bits, all frames are written anew.
    while true {
      let writer = try Self(format, size, image.metadata, settings, options, plays: frames.loopCount)
      let needed = try frames.add(in: format, at: size) { frame, milliseconds, isLast in
        try writer.add(frame, milliseconds: milliseconds, isLast: isLast, work: work)
      }
      guard let needed else { return try writer.file() }
      format = needed
    }
  }
}
