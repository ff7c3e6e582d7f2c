import EaselCore
import EaselTestPixels
import FoundationEssentials
import Testing

@testable import EaselWebP

/// Common helpers of this module's tests.
enum WebPTesting {
  static let coder = WebPCoder()

  static func encode(
    _ image: Image, work: WorkContext = WorkContext(), _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: .webp, options: options, work: work)
  }

  static func decode(
    _ bytes: ImageBytes, work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(bytes, options: options, work: work)
  }

  static func decodeInPieces(
    _ bytes: [UInt8], of step: Int, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    let decoder = try #require(
      try coder.makeDecoder(prefix: Array(bytes.prefix(64)), options: options, work: WorkContext()))
    for end in stride(from: 0, to: bytes.count, by: step) { try decoder.update(ImageBytes(Array(bytes[..<end]))) }
    return try decoder.finish(ImageBytes(bytes))
  }

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

  /// A picture of soft colours under a slowly changing alpha.
  static func softAlpha(_ width: Int, _ height: Int) throws -> Bitmap {
    let colors = try Bitmap.waves(width, height)
    return try Bitmap(width, height, .rgba8) { x, y in
      colors.components(x, y).prefix(3) + [min(255, (x * 300 / width + y * 60 / height))]
    }
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

/// Frames that are already decoded.
struct Frames: FrameSource {
  var bitmaps: [Bitmap]
  var durations: [Duration]
  var loopCount = 0

  var count: Int { bitmaps.count }
  var canvasSize: PixelSize { bitmaps[0].size }
  var memoryCost: Int { bitmaps.reduce(0) { $0 + $1.memoryCost } }
  func duration(at index: Int) -> Duration { durations[index] }
  func frame(at index: Int) -> Bitmap { bitmaps[index] }

  var image: Image { Image(bitmaps[0], frames: self) }
}

extension ImageBytes {
  var array: [UInt8] { get throws { try withUnsafeBytes { Array($0) } } }
}

/// Calls `body` with bytes in a file.
func withFile<Result>(_ bytes: [UInt8], _ body: (ImageBytes) throws -> Result) throws -> Result {
  let path = "/tmp/easel-webp-\(UInt64.random(in: 0 ... .max)).webp"
  try Data(bytes).write(to: URL(fileURLWithPath: path))
  defer { try? FileManager.default.removeItem(atPath: path) }
  return try body(ImageBytes(contentsOfFile: path))
}
