import EaselCore
import EaselPixels
import EaselTestPixels

@testable import EaselJPEG

/// Files made by the coder itself.
enum Pictures: CoderTesting {
  static let coder = JPEGCoder()

  static func file(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> ImageBytes {
    try encode(image, change)
  }

  /// Decodes a file in pieces of this length; returns the picture and the previews.
  static func inPieces(
    _ bytes: ImageBytes, of length: Int, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> (image: Image, previews: [Image]) {
    var options = DecodeOptions()
    change(&options)
    let all = try bytes.withUnsafeBytes { Array($0) }
    let decoder = try coder.makeDecoder(prefix: all, options: options, work: WorkContext())!
    var previews: [Image] = []
    for end in stride(from: length, to: all.count, by: length) {
      try decoder.update(ImageBytes(Array(all[..<end])))
      if let preview = try decoder.preview() { previews.append(preview) }
    }
    return (try decoder.finish(bytes), previews)
  }

  /// A picture whose corners have different colours, smooth in between, so that every turn is visible.
  static func corners(_ width: Int, _ height: Int) throws -> Bitmap {
    try Bitmap(width, height, .opaqueRGBA8) { x, y in
      [40 + 200 * x / width, 40 + 200 * y / height, x * 2 < width && y * 2 < height ? 220 : 60, 255]
    }
  }

  /// The bytes of the file with segments inserted after the first marker.
  static func inserting(_ segments: [[UInt8]], into file: ImageBytes) throws -> ImageBytes {
    let all = try file.withUnsafeBytes { Array($0) }
    return ImageBytes(Array(all[..<2]) + segments.flatMap { $0 } + all[2...])
  }

  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content
  }

  static func array(_ bytes: ImageBytes) throws -> [UInt8] { try bytes.withUnsafeBytes { Array($0) } }
}

extension Bitmap {
  /// The red, green and blue of all pixels.
  var colors: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(width * height * 3)
    withUnsafeBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let start = y * bytesPerRow + x * 4
          result += bytes[start..<start + 3]
        }
      }
    }
    return result
  }
}
