import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials
import Glibc

/// Writes frames as an APNG, and stores only the rows of each frame that differ from the previous frame.
struct PNGAnimationWriter {
  private let frames: CheckedFrames
  private let size: PixelSize
  private let level: Int
  private let work: WorkContext

  init(_ frames: CheckedFrames, size: PixelSize, level: Int, work: WorkContext) {
    self.frames = frames
    self.size = size
    self.level = level
    self.work = work
  }

  func write(with blocks: PNGMetadataBlocks) throws -> Data {
    let first = try frames.frame(at: 0).format
    let layout: PixelFormat.Layout = first.layout == .rgba16 ? .rgba16 : .rgba8
    return try file(of: PixelFormat(layout, alpha: first.alpha == .opaque ? .opaque : .straight), with: blocks)
  }

  /// The file whose frames all have this format, or that format with alpha if one of them needs it.
  private func file(of format: PixelFormat, with blocks: PNGMetadataBlocks) throws -> Data {
    var writer = PNGChunkWriter()
    var sequence: UInt32 = 0
    var before: Bitmap?
    for index in 0..<frames.count {
      let made = try frames.frame(at: index)
      if format.alpha == .opaque && made.format.alpha != .opaque {
        return try file(of: PixelFormat(format.layout, alpha: .straight), with: blocks)
      }
      let frame = try made.resized(to: size, work: work).converted(to: format, work: work)
      let rect = before.map { frame.rowsThatDiffer(from: $0) } ?? PixelRect(covering: size)
      let samples = try PNGWrittenSamples(
        frame.cropped(to: rect), allowsPalette: false, hasGrayProfile: false, work: work)
      if index == 0 {
        samples.append(to: &writer) {
          $0.append(
            .animation, UInt32(frames.count).bigEndianBytes + UInt32(clamping: frames.loopCount).bigEndianBytes)
          blocks.append(to: &$0)
        }
      }
      writer.append(.frame, sequence.bigEndianBytes + (try control(of: index, rect)))
      sequence += 1
      try samples.withCompressed(level: level, work: work) { pieces in
        guard index > 0 else { return writer.append(.data, pieces: pieces) }
        for piece in pieces {
          writer.append(.frameData, sequence.bigEndianBytes + piece)
          sequence += 1
        }
      }
      before = frame
    }
    writer.append(.end, [])
    return writer.data
  }

  /// The content of fcTL without its sequence number, for a frame that stays on the canvas and replaces the pixels
  /// below it.
  private func control(of index: Int, _ rect: PixelRect) throws(ImageError) -> [UInt8] {
    let delay = Self.fraction(of: try frames.duration(at: index))
    let numbers = [rect.width, rect.height, rect.x, rect.y].map { UInt32($0) }
    return numbers.flatMap(\.bigEndianBytes) + delay.numerator.bigEndianBytes + delay.denominator.bigEndianBytes
      + [0, 0]
  }

  /// The fraction of a second closest to a delay.
  static func fraction(of delay: Duration) -> (numerator: UInt16, denominator: UInt16) {
    let seconds = max(0, delay / .seconds(1))
    var nearest = (numerator: UInt16.max, denominator: UInt16(1))
    var distance = Double.infinity
    for denominator: UInt16 in [1000, 100, 10_000, 60_000, 65_535, 60, 10, 1] {
      let numerator = (seconds * Double(denominator)).rounded()
      guard numerator <= 65_535 else { continue }
      let error = abs(numerator / Double(denominator) - seconds)
      if error < distance - 1e-12 {
        nearest = (UInt16(numerator), denominator)
        distance = error
      }
    }
    return nearest
  }
}

extension Bitmap {
  /// The band of rows that differ; one pixel if the pictures are equal.
  fileprivate func rowsThatDiffer(from other: Bitmap) -> PixelRect {
    let rowBytes = width * format.bytesPerPixel
    let differing = withUnsafeBytes { bytes in
      other.withUnsafeBytes { others in
        let differs = { (row: Int) in
          memcmp(bytes.baseAddress! + row * bytesPerRow, others.baseAddress! + row * other.bytesPerRow, rowBytes) != 0
        }
        return (0..<height).first(where: differs).map { $0...(0..<height).last(where: differs)! }
      }
    }
    guard let differing else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
    return PixelRect(x: 0, y: differing.lowerBound, width: width, height: differing.count)
  }
}
