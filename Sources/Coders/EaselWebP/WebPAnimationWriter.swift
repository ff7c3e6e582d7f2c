import CEaselWebP
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes frames one by one, and stores only the part of each frame that differs from the previous frame.
///
/// libwebp's own writer merges equal frames into one; this writer keeps each frame.
struct WebPAnimationWriter {
  private let frames: CheckedFrames
  private let size: PixelSize
  private let way: WebPPixels.Way
  private let work: WorkContext

  /// The longest delay that ANMF can hold, in milliseconds.
  private static let longestDelay = 0xFF_FFFF

  init(_ frames: CheckedFrames, size: PixelSize, way: WebPPixels.Way, work: WorkContext) {
    self.frames = frames
    self.size = size
    self.way = way
    self.work = work
  }

  func write(with blocks: WebPMetadataBlocks) throws -> Data {
    var written = WebPChunkWriter()
    var features = blocks.features.union(.animation)
    var before: Bitmap?
    var time = Duration.zero
    for index in 0..<frames.count {
      try work.checkCancellation()
      let frame = try frames.frame(at: index).resized(to: size, work: work).straightRGBA8(work: work)
      if frame.format.alpha != .opaque { features.insert(.alpha) }
      let rect = before.map { frame.part(differingFrom: $0) } ?? PixelRect(covering: size)
      let pixels = try WebPPixels(frame, in: rect, way, work: work)
      let duration = try frames.duration(at: index)
      let delay = Self.milliseconds(of: duration, after: time)
      time += duration
      written.append(.frame, Self.head(rect, delay) + pixels.chunks)
      before = frame
    }
    var writer = WebPChunkWriter()
    writer.appendHeader(size, features)
    if let profile = blocks.profile { writer.append(.profile, profile) }
    writer.append(.animation, [0, 0, 0, 0] + UInt16(clamping: frames.loopCount).littleEndianBytes)
    writer.append(written.chunks)
    if let exif = blocks.exif { writer.append(.exif, exif) }
    if let xmp = blocks.xmp { writer.append(.xmp, xmp) }
    return try writer.file()
  }

  /// The start of ANMF for a frame that stays on the canvas and replaces the pixels below it.
  private static func head(_ rect: PixelRect, _ delay: Int) -> [UInt8] {
    let numbers = [rect.x / 2, rect.y / 2, rect.width - 1, rect.height - 1, delay]
    return numbers.flatMap { UInt32($0).littleEndianBytes.prefix(3) } + [2]
  }

  /// The frame's delay in whole milliseconds; later frames make up for the rounding.
  static func milliseconds(of delay: Duration, after time: Duration) -> Int {
    let ends = [time, time + delay].map { ($0 / .milliseconds(1)).rounded() }
    return Int(max(0, min(Double(longestDelay), ends[1] - ends[0])))
  }
}

extension Bitmap {
  /// The part that differs, extended to even coordinates; one pixel if the pictures are equal.
  fileprivate func part(differingFrom other: Bitmap) -> PixelRect {
    guard other.format == format else { return PixelRect(covering: size) }
    var part = easel_webp_rect()
    withUnsafeBytes { pixels in
      other.withUnsafeBytes { others in
        part = easel_webp_differing_part(
          pixels.baseAddress, bytesPerRow, others.baseAddress, other.bytesPerRow, width, height)
      }
    }
    guard part.width > 0 else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
    let (x, y) = (part.x & ~1, part.y & ~1)
    return PixelRect(x: x, y: y, width: part.x + part.width - x, height: part.y + part.height - y)
  }
}
