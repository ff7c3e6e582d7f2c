import EaselCore
import EaselTestPixels
import Testing

@testable import EaselWebP

/// Common helpers of this module's tests.
enum WebPTesting: CoderTesting {
  static let coder = WebPCoder()

  static func scan(_ file: [UInt8]) throws -> WebPFile {
    var scanner = WebPScanner(limits: Limits())
    try scanner.advance(over: ImageBytes(file), isWhole: true, work: WorkContext())
    return try #require(scanner.file)
  }

  /// Sets lossless encoding that keeps the colours of transparent pixels.
  static func lossless(_ options: inout EncodeOptions) {
    options.lossless = true
    options.compressionLevel = 2
  }

  /// A chunk in a file's form.
  static func chunk(_ name: StaticString, _ content: [UInt8]) -> [UInt8] {
    var writer = WebPChunkWriter()
    writer.append(WebPChunk.Kind(name), content)
    return Array(writer.chunks)
  }

  static func riff(_ chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + UInt32(chunks.count + 4).littleEndianBytes + Array("WEBP".utf8) + chunks
  }

  static func extended(_ width: Int, _ height: Int, _ features: WebPFile.Features) -> [UInt8] {
    var writer = WebPChunkWriter()
    writer.appendHeader(PixelSize(width: width, height: height), features)
    return Array(writer.chunks)
  }

  /// A frame that contains the chunks of a still picture.
  static func frame(
    _ pixels: [UInt8], x: Int = 0, y: Int = 0, delay: Int = 50, clears: Bool = false, isBlended: Bool = true
  ) -> [UInt8] {
    let numbers = [x / 2, y / 2, 0, 0, delay].flatMap { UInt32($0).littleEndianBytes.prefix(3) }
    return chunk("ANMF", numbers + [(clears ? 1 : 0) | (isBlended ? 0 : 2)] + pixels)
  }

  static func animation(loops: Int = 0) -> [UInt8] {
    chunk("ANIM", [9, 9, 9, 9] + UInt16(loops).littleEndianBytes)
  }

  /// The pixel chunks of a picture, without a container.
  static func pixels(_ bitmap: Bitmap, isLossless: Bool = true) throws -> [UInt8] {
    let way = WebPPixels.Way(isLossless: isLossless, quality: 0.8, effort: 1)
    return try Array(WebPPixels(bitmap, way, work: WorkContext()).chunks)
  }
}
