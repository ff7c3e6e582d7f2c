import EaselCore
import FoundationEssentials

/// The calls that tests of a coder make again and again.
///
/// An enumeration of a module's tests adopts it and names the coder:
///
/// ```swift
/// enum AVIFTesting: CoderTesting { static let coder = AVIFCoder() }
/// ```
package protocol CoderTesting {
  associatedtype Coder: ImageCoder
  static var coder: Coder { get }
  /// The options of a file without loss.
  static func lossless(_ options: inout EncodeOptions)
}

extension CoderTesting {
  package static func lossless(_ options: inout EncodeOptions) { options.lossless = true }

  package static func decode(
    _ bytes: ImageBytes, work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(bytes, options: options, work: work)
  }

  package static func probe(_ bytes: ImageBytes) throws -> ImageHeader { try coder.probe(bytes, work: WorkContext()) }

  /// The error of decoding; nil when it succeeds.
  package static func failure(
    _ bytes: [UInt8], work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) -> ImageError? {
    do {
      _ = try decode(ImageBytes(bytes), work: work, change)
      return nil
    } catch {
      return error as? ImageError
    }
  }

  /// Calls `body` with the name of a folder that is deleted afterwards.
  package static func inFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/easel-\(coder.identifier)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
  }

  /// Calls `body` with bytes in a file.
  package static func inFile<Result>(_ bytes: [UInt8], _ body: (ImageBytes) throws -> Result) throws -> Result {
    try inFolder { folder in
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/file"))
      return try body(ImageBytes(contentsOfFile: folder + "/file"))
    }
  }

  /// The bytes with others in place of those that begin with a text.
  package static func replacing(
    _ text: String, by other: [UInt8], after distance: Int = 0, in bytes: [UInt8]
  ) -> [UInt8] {
    var result = bytes
    guard let found = bytes.firstRange(of: Array(text.utf8)) else { return result }
    let start = found.lowerBound + distance
    result.replaceSubrange(start..<start + other.count, with: other)
    return result
  }

  /// A whole number in big-endian order.
  package static func number(_ value: some BinaryInteger, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A box of an ISO file.
  package static func box(_ name: String, _ contents: [UInt8]...) -> [UInt8] {
    let content = contents.flatMap { $0 }
    return number(content.count + 8, 4) + Array(name.utf8) + content
  }

  /// A picture of soft colours under a slowly changing alpha.
  package static func softAlpha(_ width: Int, _ height: Int) throws -> Bitmap { try .softAlpha(width, height) }

  /// Moving noise of four frames.
  package static func moving(_ format: PixelFormat = .opaqueRGBA8, plays: Int = 0) throws -> Frames {
    let bitmaps = try (0..<4).map { try Bitmap.noise(24, 18, format, seed: UInt64($0)) }
    return Frames(bitmaps: bitmaps, durations: [20, 30, 500, 70].map { .milliseconds($0) }, loopCount: plays)
  }
}

extension CoderTesting where Coder: EncodingCoder {
  package static func encode(
    _ image: Image, work: WorkContext = WorkContext(), _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> ImageBytes {
    var options = EncodeOptions()
    change(&options)
    return try coder.encode(image, as: coder.formats[0], options: options, work: work)
  }
}

extension CoderTesting where Coder: ProgressiveImageCoder {
  package static func makeDecoder(
    _ bytes: [UInt8], work: WorkContext = WorkContext(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> any ProgressiveDecoder {
    var options = DecodeOptions()
    change(&options)
    let prefix = Array(bytes.prefix(Coder.shortSniffLength))
    guard let decoder = try coder.makeDecoder(prefix: prefix, options: options, work: work) else {
      throw ImageError(.badImageData, "The coder \(coder.identifier) made no decoder.")
    }
    return decoder
  }

  package static func decodeInPieces(
    _ bytes: [UInt8], of step: Int, _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    let decoder = try makeDecoder(bytes, change)
    for end in stride(from: 0, to: bytes.count, by: step) { try decoder.update(ImageBytes(Array(bytes[..<end]))) }
    return try decoder.finish(ImageBytes(bytes))
  }
}

extension ImageBytes {
  package var array: [UInt8] { get throws { try withUnsafeBytes { Array($0) } } }
}
