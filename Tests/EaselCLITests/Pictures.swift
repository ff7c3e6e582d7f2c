import EaselEverything
import Foundation

/// Pictures in which every pixel is known.
enum Pictures {
  /// Red grows to the right and green grows downwards; blue and alpha are constant.
  static func bitmap(_ width: Int, _ height: Int, blue: UInt8 = 7, alpha: UInt8 = 255) throws -> Bitmap {
    var bitmap = try Bitmap(size: PixelSize(width: width, height: height), format: .rgba8)
    let bytesPerRow = bitmap.bytesPerRow
    // Whole rows at once, because single bytes take long without optimization.
    let first = (0..<width).map { UInt32(truncatingIfNeeded: $0 * 3) & 255 | UInt32(blue) << 16 | UInt32(alpha) << 24 }
    bitmap.withUnsafeMutableBytes { bytes in
      for y in 0..<height {
        let green = UInt32(truncatingIfNeeded: y * 5) & 255
        let place = UnsafeMutableRawBufferPointer(rebasing: bytes[(y * bytesPerRow)...])
        first.map { ($0 | green << 8).littleEndian }.withUnsafeBytes { place.copyMemory(from: $0) }
      }
    }
    return bitmap
  }

  static func png(
    _ width: Int, _ height: Int, blue: UInt8 = 7, alpha: UInt8 = 255, metadata: ImageMetadata? = nil
  ) throws -> Data {
    let image = Image(try bitmap(width, height, blue: blue, alpha: alpha), metadata: metadata)
    var options = EncodeOptions()
    options.keepsMetadata = metadata != nil
    return try PNGCoder().encode(image, as: .png, options: options, work: WorkContext()).data()
  }

  /// A moving picture whose frames differ in blue: 10, 20, 30 and so on.
  ///
  /// Frame n is shown for (n + 1) * 50 ms.
  static func apng(_ width: Int, _ height: Int, frames: Int, loopCount: Int = 3) throws -> Data {
    let source = Frames(
      bitmaps: try (0..<frames).map { try bitmap(width, height, blue: UInt8($0 * 10 + 10)) }, loopCount: loopCount)
    let image = Image(source.bitmaps[0], frames: source)
    return try PNGCoder().encode(image, as: .png, options: EncodeOptions(), work: WorkContext()).data()
  }

  /// An EXIF block that states an orientation.
  static func exif(orientation: UInt8) -> Data {
    Data([0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0])
  }

  private struct Frames: FrameSource {
    let bitmaps: [Bitmap]
    let loopCount: Int
    var count: Int { bitmaps.count }
    var canvasSize: PixelSize { bitmaps[0].size }
    var memoryCost: Int { 0 }
    func duration(at index: Int) -> Duration { .milliseconds(50 * (index + 1)) }
    func frame(at index: Int) throws -> Bitmap { bitmaps[index] }
  }

  /// Decodes a picture that the program wrote.
  static func decoded(_ data: Data, keepsOrientation: Bool = false) throws -> Image {
    var options = DecodeOptions()
    options.appliesOrientation = !keepsOrientation
    return try CoderRegistry.everything.decode(ImageBytes(data), options: options, work: WorkContext())
  }
}

extension Bitmap {
  /// Red, green, blue and alpha of an 8-bit pixel.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    withUnsafeBytes { Array($0[(y * bytesPerRow + x * 4)...].prefix(4)) }
  }

  /// All pixels without padding.
  var rows: Data {
    withUnsafeBytes { bytes in
      (0..<height).reduce(into: Data()) { $0 += bytes[($1 * bytesPerRow)...].prefix(width * 4) }
    }
  }
}
