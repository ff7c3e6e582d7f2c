import EaselCore

/// A file that a coder must be able to decode.
public struct ImageSample: Sendable {
  /// What messages call it.
  public let name: String
  /// The file.
  public let bytes: [UInt8]
  /// The pixels that it must give by default, nil where no one says.
  public let pixels: Bitmap?

  /// Where its signature lies: with another byte there it is no file of the format.
  public let signature: [Range<Int>]

  /// Creates a sample; the signature of most formats opens the file, that of ISO boxes lies at `4..<12`.
  public init(_ name: String, bytes: [UInt8], pixels: Bitmap? = nil, signature: [Range<Int>] = [0..<3]) {
    self.name = name
    self.bytes = bytes
    self.pixels = pixels
    self.signature = signature
  }

  /// The file as a coder takes it.
  var imageBytes: ImageBytes { ImageBytes(bytes) }

  /// The toy pictures that the coder of the toy format is checked with.
  public static func toys() throws -> [ImageSample] {
    var pictures = ImageOrientation.allCases.map { ("\($0)", ToyPicture(width: 7, height: 5, orientation: $0)) }
    pictures.append(("one pixel", ToyPicture(width: 1, height: 1)))
    pictures.append(("opaque", ToyPicture(width: 12, height: 9, hasAlpha: false)))
    pictures.append(("moving", ToyPicture(width: 6, height: 4, frameCount: 4)))
    return try pictures.map {
      ImageSample($0.0, bytes: $0.1.bytes, pixels: try $0.1.expectedBitmap(), signature: [0..<8])
    }
  }
}
