import EaselCore

/// A file that a coder must be able to decode.
public struct ImageSample: Sendable {
  /// The name of the sample in messages.
  public let name: String
  /// The file.
  public let bytes: [UInt8]
  /// The expected pixels with default options; nil if unknown.
  public let pixels: Bitmap?

  /// The ranges of the signature: if a byte in them differs, the file is not of the format.
  public let signature: [Range<Int>]

  /// Creates a sample; most formats have the signature at the start of the file, ISO boxes at `4..<12`.
  ///
  /// ```swift
  /// let sample = ImageSample("black", bytes: Array("FLAG".utf8), pixels: bitmap, signature: [0..<4])
  /// ```
  public init(_ name: String, bytes: [UInt8], pixels: Bitmap? = nil, signature: [Range<Int>] = [0..<3]) {
    self.name = name
    self.bytes = bytes
    self.pixels = pixels
    self.signature = signature
  }

  /// True when the file is text, which has no end of its own: bytes behind it belong to it.
  var isText: Bool {
    let isPrintable = bytes.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 || $0 == 10 || $0 == 13 }
    return isPrintable && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Bytes that follow the end of a file: garbage, and the beginning of an archive.
  static let more: [UInt8] = [0, 255, 17, 0x50, 0x4b, 3, 4]

  /// The file as input of a coder.
  var imageBytes: ImageBytes { ImageBytes(bytes) }

  /// The toy pictures for checking the toy coder.
  public static func toys() throws -> [ImageSample] {
    var pictures = ImageMetadata.Orientation.allCases.map { ("\($0)", ToyImage(width: 7, height: 5, orientation: $0)) }
    pictures.append(("one pixel", ToyImage(width: 1, height: 1)))
    pictures.append(("opaque", ToyImage(width: 12, height: 9, hasAlpha: false)))
    pictures.append(("moving", ToyImage(width: 6, height: 4, frameCount: 4)))
    return try pictures.map {
      ImageSample($0.0, bytes: $0.1.bytes, pixels: try $0.1.expectedBitmap(), signature: [0..<8])
    }
  }
}
