import EaselCoding
import EaselCore
import FoundationEssentials

/// All that is known of a file from the segments before its pixels.
struct JPEGFile: ScannedFile {
  /// The colour components of a pixel.
  enum Kind {
    case gray
    case color
    /// Cyan, magenta, yellow and black.
    case cmyk
  }

  static let formatName = "JPEG"

  let size: PixelSize
  let bitDepth: Int
  let kind: Kind
  let isProgressive: Bool
  let isArithmetic: Bool
  /// The bytes of all coefficients, of which each takes two.
  let coefficientBytes: Int
  /// True if Easel's own decoder knows how the components are sampled.
  let hasUsualSamples: Bool
  /// True if the components are red, green and blue.
  var isRGB = false
  /// True when the pixels are spread over several scans, which requires keeping all coefficients in memory.
  var hasSeveralScans = false
  /// The offset of the first scan; 0 before everything in front of it was read.
  var pixelStart = 0
  var profile = JPEGProfilePieces()
  var metadata = StoredMetadata()
  /// The index of the pictures in the file.
  var pictures: MultiPictureIndex?
  /// The content of the segment of ISO 21496-1 after the name of the standard.
  var isoGainMap: [UInt8]?

  var storedSize: PixelSize { size }
  var hasPixels: Bool { pixelStart > 0 }

  /// The bytes of coefficients that a pixel has in a picture of four components, whose pixels are what a limit counts.
  private static let mostCoefficientBytes = 8

  /// Throws when the coefficients that must be kept take more memory than the limit.
  func checkCoefficients(_ limits: Limits) throws(ImageError) {
    guard hasSeveralScans else { return }
    let pixels = (coefficientBytes + Self.mostCoefficientBytes - 1) / Self.mostCoefficientBytes
    guard pixels > limits.progressiveJPEGPixels else { return }
    throw ImageError(
      .limitExceeded,
      "JPEG: a picture of \(size) in several scans keeps \(coefficientBytes) bytes of coefficients in memory, as much as "
        + "\(pixels) pixels of four components, over the limit of \(limits.progressiveJPEGPixels). Raise "
        + "Limits.progressiveJPEGPixels to allow it.")
  }

  /// The bytes of coefficients in whole blocks, from the head of a frame.
  static func coefficientBytes(of size: PixelSize, frame: [UInt8]) -> Int {
    let factors = stride(from: 6, to: frame.count - 2, by: 3).map { place in
      (across: max(1, Int(frame[place + 1] >> 4)), down: max(1, Int(frame[place + 1] & 15)))
    }
    let (most, mostDown) = (factors.map(\.across).max() ?? 1, factors.map(\.down).max() ?? 1)
    let units = ((size.width - 1) / (8 * most) + 1) * ((size.height - 1) / (8 * mostDown) + 1)
    return factors.reduce(0) { $0 + units * $1.across * $1.down * 128 }
  }

  /// True if Easel's own decoder knows how the components of a frame's head are sampled.
  static func hasUsualSamples(frame: [UInt8]) -> Bool {
    let factors = stride(from: 6, to: frame.count - 2, by: 3).map { frame[$0 + 1] }
    guard factors.count == 3 else { return factors.count == 1 }
    return [0x11, 0x12, 0x21, 0x22].contains(factors[0]) && factors[1] == 0x11 && factors[2] == 0x11
  }

  func imageHeader(profileBytes: Int) -> ImageHeader {
    var header = ImageHeader(format: .jpeg, storedSize: size, orientation: metadata.orientation, bitDepth: bitDepth)
    header.state(metadata)
    header.iccProfileBytes = profileBytes
    return header
  }

  /// The ICC profile, nil if there is none or its pieces do not fit together.
  func readProfile(of bytes: ImageBytes) throws(ImageError) -> Data? { try profile.assembled(from: bytes) }
}
