import EaselCore

/// A picture in the toy format: makes the bytes and gives the pixels that a decoder must make of them.
///
/// The format: `EASELTOY`, a version byte 1, a byte of flags, a byte of EXIF orientation, a zero byte, then width,
/// height, frame count and loop count as 32-bit big-endian numbers, then for each frame its duration as 32 bits of
/// milliseconds and the rows of RGBA pixels.
public struct ToyImage: Hashable, Sendable {
  /// One frame of a toy picture.
  public struct Frame: Hashable, Sendable {
    /// The duration of the frame in milliseconds.
    public var milliseconds: Int
    /// The pixels as stored, row by row.
    public var pixels: [PixelColor]

    /// Combines pixels with the time that they are shown.
    public init(milliseconds: Int = 100, pixels: [PixelColor]) {
      self.milliseconds = milliseconds
      self.pixels = pixels
    }
  }

  /// The image format of toy pictures.
  public static let format = ImageFormat(mimeType: "image/x-easel-toy")
  /// A format that is only written, and never moves: the same bytes with the signature `EASELPRT`.
  public static let writtenFormat = ImageFormat(mimeType: "image/x-easel-print")
  static let signature = Array("EASELTOY".utf8)
  static let writtenSignature = Array("EASELPRT".utf8)
  static let headerLength = 28

  /// The stored size.
  public var size: PixelSize
  /// The orientation that turns the stored picture upright.
  public var orientation: ImageMetadata.Orientation
  /// True when the alpha of the pixels is used.
  public var hasAlpha: Bool
  /// True for a variant that the coder recognizes but does not support.
  public var isUnsupportedVariant = false
  /// The number of times the animation is played.
  public var loopCount = 0
  /// The frames, at least one.
  public var frames: [Frame]

  /// Describes a file of the toy format, frame by frame.
  public init(size: PixelSize, orientation: ImageMetadata.Orientation = .up, hasAlpha: Bool = true, frames: [Frame]) {
    self.size = size
    self.orientation = orientation
    self.hasAlpha = hasAlpha
    self.frames = frames
  }

  /// Creates a still picture of one colour.
  public init(width: Int, height: Int, color: PixelColor) {
    let pixels = [PixelColor](repeating: color, count: width * height)
    self.init(size: PixelSize(width: width, height: height), frames: [Frame(pixels: pixels)])
  }

  /// Creates a picture in which neighbouring pixels differ; each seed gives another picture.
  public init(
    width: Int, height: Int, seed: UInt64 = 1, frameCount: Int = 1, orientation: ImageMetadata.Orientation = .up,
    hasAlpha: Bool = true
  ) {
    var random = SeededRandom(seed: seed)
    let frames = (0..<frameCount).map { index in
      Frame(
        milliseconds: 20 * (index + 1),
        pixels: (0..<width * height).map { _ in
          let bits = random.next()
          return PixelColor(
            red: UInt8(truncatingIfNeeded: bits), green: UInt8(truncatingIfNeeded: bits >> 8),
            blue: UInt8(truncatingIfNeeded: bits >> 16),
            alpha: hasAlpha ? UInt8(truncatingIfNeeded: bits >> 24) : 255)
        })
    }
    self.init(
      size: PixelSize(width: width, height: height), orientation: orientation, hasAlpha: hasAlpha, frames: frames)
  }

  /// The file.
  public var bytes: [UInt8] {
    var bytes = Self.header(
      size: size, frameCount: frames.count, orientation: orientation, hasAlpha: hasAlpha, loopCount: loopCount,
      isUnsupportedVariant: isUnsupportedVariant)
    for frame in frames {
      Self.append(frame.milliseconds, to: &bytes)
      // A pixel has the same layout in memory and in the file.
      frame.pixels.withUnsafeBytes { bytes += $0 }
    }
    return bytes
  }

  /// The file as input of a coder.
  public var imageBytes: ImageBytes { ImageBytes(bytes) }

  /// The toy file with the picture of a file of ``writtenFormat``; other bytes stay as they are.
  public static func toy(of written: ImageBytes) throws -> ImageBytes {
    let bytes = try written.withUnsafeBytes { [UInt8]($0) }
    return ImageBytes(bytes.starts(with: writtenSignature) ? signature + bytes.dropFirst(signature.count) : bytes)
  }

  /// A header without pixels, which may claim a size too large for memory.
  public static func header(
    size: PixelSize, frameCount: Int = 1, orientation: ImageMetadata.Orientation = .up, hasAlpha: Bool = true,
    loopCount: Int = 0, isUnsupportedVariant: Bool = false
  ) -> [UInt8] {
    let flags: UInt8 = (hasAlpha ? 1 : 0) | (isUnsupportedVariant ? 2 : 0)
    var bytes = signature + [1, flags, UInt8(orientation.rawValue), 0]
    for number in [size.width, size.height, frameCount, loopCount] { append(number, to: &bytes) }
    return bytes
  }

  /// The pixels that a decoder must give for a frame by default: upright, with straight alpha or marked opaque.
  public func expectedBitmap(frame index: Int = 0) throws -> Bitmap {
    let upright = orientation.swapsSides ? size.transposed : size
    var bitmap = try Bitmap(size: upright, format: hasAlpha ? .rgba8 : .opaqueRGBA8)
    let stride = bitmap.bytesPerRow
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<upright.height {
        for x in 0..<upright.width {
          let stored = orientation.storedPosition(x: x, y: y, in: size)
          let pixel = frames[index].pixels[stored.y * size.width + stored.x]
          let start = y * stride + x * 4
          bytes[start] = pixel.red
          bytes[start + 1] = pixel.green
          bytes[start + 2] = pixel.blue
          bytes[start + 3] = hasAlpha ? pixel.alpha : 255
        }
      }
    }
    return bitmap
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    let bits = UInt32(truncatingIfNeeded: number)
    bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
  }
}
