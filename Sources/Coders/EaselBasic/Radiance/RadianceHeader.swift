import EaselCoding
import EaselCore

/// The lines before the pixels of a Radiance picture, which state its kind and its size.
struct RadianceHeader {
  /// The pixels of a row and the number of rows, as stored.
  private(set) var size = PixelSize(width: 0, height: 0)
  private(set) var orientation = ImageMetadata.Orientation.up
  private(set) var color = ColorDescription(coding: ColorDescription.Coding(primaries: 1, transfer: 16))
  private(set) var notes: [String] = []

  var imageHeader: ImageHeader {
    var header = ImageHeader(
      format: .radiance, storedSize: size, orientation: orientation, hasAlpha: false, bitDepth: 16)
    header.color = color
    header.notes = notes
    return header
  }

  private static let signatures = ["#?RADIANCE\n", "#?RGBE\n", "#?RADIANCE\r\n", "#?RGBE\r\n"].map { Array($0.utf8) }
  /// The number of bytes that are kept of a line; no line that the header needs is longer.
  private static let mostOfLine = 512

  static func isSignature(_ prefix: [UInt8]) -> Bool { signatures.contains { prefix.starts(with: $0) } }

  /// Reads the lines.
  ///
  /// Afterwards the reader is at the first pixel.
  init(_ reader: inout ByteReader, limits: Limits) throws(ImageError) {
    let first = try Self.line(&reader, limits)
    guard first == "#?RADIANCE" || first == "#?RGBE" else {
      throw .bad(RadianceCoder.name, "the file does not begin with #?RADIANCE or #?RGBE")
    }
    while true {
      let line = try Self.line(&reader, limits)
      guard !line.isEmpty else { break }
      // Blanks may surround the equals sign.
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.split(separator: " ") }
      guard parts.count == 2, parts[0].count == 1 else { continue }
      switch parts[0][0] {
      case "FORMAT": try check(format: parts[1].joined(separator: " "))
      case "PRIMARIES": take(primaries: parts[1].map { Double($0) })
      default: break
      }
    }
    try take(resolution: Self.line(&reader, limits))
  }

  private func check(format: String) throws(ImageError) {
    guard format != "32-bit_rle_rgbe" else { return }
    throw ImageError(
      .unsupportedFormat,
      "\(RadianceCoder.name): pixels in the format \(format) are not read; it must be 32-bit_rle_rgbe.")
  }

  /// The chromaticities of red, green, blue and white that have code points.
  ///
  /// The usual ones of Radiance and of BT.709 are shown alike, as in all readers.
  private static let knownPrimaries: [(code: Int, values: [Double])] = [
    (1, [0.64, 0.33, 0.29, 0.6, 0.15, 0.06, 0.333, 0.333]), (1, [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329]),
    (9, [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329]),
    (12, [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329]),
  ]

  private mutating func take(primaries: [Double?]) {
    let stated = primaries.compactMap { $0 }
    let known = Self.knownPrimaries.first { _, values in
      stated.count == values.count && zip(stated, values).allSatisfy { abs($0 - $1) < 0.002 }
    }
    guard let known else {
      return notes.append("\(RadianceCoder.name): primaries without code points are taken for those of BT.709.")
    }
    color.coding.primaries = known.code
  }

  /// Takes a line such as `-Y 768 +X 1024`: the axis from row to row, then the axis along a row.
  private mutating func take(resolution line: String) throws(ImageError) {
    let words = line.split(separator: " ")
    guard words.count == 4, let height = Self.number(words[1]), let width = Self.number(words[3]),
      let orientation = Self.orientations["\(words[0]) \(words[2])"]
    else {
      throw .bad(RadianceCoder.name, "the line after the header is not a size such as -Y 768 +X 1024")
    }
    self.orientation = orientation
    size = PixelSize(width: width, height: height)
  }

  private static func number(_ word: Substring) -> Int? {
    word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(word) : nil
  }

  /// The orientations for the signs of the axes; axis Y points up.
  private static let orientations: [String: ImageMetadata.Orientation] = [
    "-Y +X": .up, "-Y -X": .upMirrored, "+Y -X": .down, "+Y +X": .downMirrored, "+X -Y": .leftMirrored,
    "-X -Y": .right, "-X +Y": .rightMirrored, "+X +Y": .left,
  ]

  /// The next line without its end.
  private static func line(_ reader: inout ByteReader, _ limits: Limits) throws(ImageError) -> String {
    var line: [UInt8] = []
    while true {
      guard let byte = try reader.next() else {
        throw .bad(RadianceCoder.name, "the file ends after \(reader.position) bytes, within its header")
      }
      if byte == UInt8(ascii: "\n") { break }
      if line.count < mostOfLine { line.append(byte) }
      if reader.position % 1024 == 0 {
        try limits.check(metadataBytes: reader.position, claimedBy: "\(RadianceCoder.name): the header")
      }
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}
