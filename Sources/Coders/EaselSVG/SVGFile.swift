import CEaselSVG
import EaselCore
import FoundationEssentials

/// The bytes of a file, unpacked if they are packed.
struct SVGFile {
  /// The most bytes of XML that are read.
  ///
  /// Most drawings have a hundredth of it. The time for drawing grows with the number of elements, and so with the bytes.
  static let mostBytes = 1 << 20

  /// The bytes of the XML.
  let xml: ImageBytes

  /// Reads a file whose first element is an SVG.
  init(_ bytes: ImageBytes) throws(ImageError) {
    let packed = try bytes.prefix(3)
    if Self.isPacked(packed) {
      xml = ImageBytes(try Self.unpacked(bytes))
    } else {
      guard bytes.count <= Self.mostBytes else { throw Self.tooLarge("\(bytes.count) bytes") }
      xml = try bytes.loaded()
    }
    let prolog = xml.withBytesInMemory { SVGProlog($0) } ?? .other
    switch prolog {
    case .svg: return
    case .cut: throw ImageError(.badImageData, "SVG: the file ends before its first element.")
    case .other: throw ImageError(.unsupportedFormat, "SVG: the first element of the file is not an SVG.")
    }
  }

  /// True if these first bytes of a file are those of an SVG, packed or not.
  static func isSVG(prefix: [UInt8]) -> Bool {
    let start = isPacked(prefix) ? beginning(of: prefix) : prefix
    switch SVGProlog(start) {
    case .svg: return true
    // Comments may be long. In a short file nothing follows.
    case .cut: return prefix.count >= SVGCoder.sniffLength
    case .other: return false
    }
  }

  // MARK: Packed files

  /// True for gzip.
  private static func isPacked(_ prefix: [UInt8]) -> Bool { prefix.starts(with: [0x1F, 0x8B, 8]) }

  /// The XML that some bytes of a packed file make.
  private static func beginning(of packed: [UInt8]) -> [UInt8] {
    var made = 0
    return [UInt8](unsafeUninitializedCapacity: 1 << 10) { target, count in
      _ = easel_svg_unpack(packed, packed.count, target.baseAddress, target.count, &made)
      count = made
    }
  }

  private static func unpacked(_ bytes: ImageBytes) throws(ImageError) -> [UInt8] {
    // No packing is worse than this, so that a longer file would be too large in any case.
    guard bytes.count <= 2 * mostBytes else { throw tooLarge("\(bytes.count) packed bytes") }
    let packed = try bytes.prefix(bytes.count)
    var result = EASEL_SVG_NOT_UNPACKED
    // A packed file does not tell its size before it is unpacked, so that the room is for the most there may be.
    let xml = [UInt8](unsafeUninitializedCapacity: mostBytes + 1) { target, count in
      result = easel_svg_unpack(packed, packed.count, target.baseAddress, target.count, &count)
    }
    guard result != EASEL_SVG_UNPACKED_TOO_MUCH, xml.count <= mostBytes else {
      throw tooLarge("more than \(mostBytes) bytes")
    }
    guard result == EASEL_SVG_UNPACKED else {
      throw ImageError(.badImageData, "SVG: the packed file is damaged or cut off.")
    }
    return xml
  }

  private static func tooLarge(_ size: String) -> ImageError {
    ImageError(
      .limitExceeded,
      "SVG: the file has \(size), and at most \(mostBytes) bytes of XML are drawn. Remove what is not drawn from it.")
  }
}
