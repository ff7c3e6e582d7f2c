import EaselCore
import EaselPixels
import EaselTestPixels
import Glibc

@testable import EaselJPEG

/// Files made by the coder itself, and programs that read them.
enum Pictures {
  static let coder = JPEGCoder()

  static func file(_ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .jpeg, options: options, work: WorkContext())
  }

  static func decode(_ bytes: ImageBytes, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(bytes, options: options, work: WorkContext())
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

  /// The reference program's colours of all pixels, row after row.
  static func djpeg(_ bytes: ImageBytes) throws -> [UInt8]? {
    let output = EaselTestPixels.Process.output(
      of: ["djpeg", "-dct", "int", "-ppm"], input: try array(bytes))
    guard let output, output.starts(with: "P6".utf8) || output.starts(with: "P5".utf8) else { return nil }
    // Each of the three numbers is followed by one byte of white space.
    var rest = output[...]
    var ends = 0
    while ends < 3, let end = rest.firstIndex(of: 10) ?? rest.firstIndex(of: 32) {
      let line = rest[..<end]
      ends += line.split(separator: 32).count - (line.starts(with: "P".utf8) ? 1 : 0)
      rest = rest[(end + 1)...]
    }
    return Array(rest)
  }

  static let hasDjpeg = EaselTestPixels.Process.output(of: ["djpeg", "-version"], input: []) != nil
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
