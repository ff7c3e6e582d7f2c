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
    let isPacked = Self.isPacked(try bytes.prefix(3))
    let (all, excess, isWhole) = try isPacked ? Self.unpacked(bytes) : Self.plain(bytes)
    let prolog = all.withBytesInMemory { SVGProlog($0) } ?? .other
    guard prolog != .other else {
      throw ImageError(.unsupportedFormat, "SVG: the first element of the file is not an SVG.")
    }
    if let excess {
      throw ImageError(
        .limitExceeded,
        "SVG: the file has \(excess), and at most \(Self.mostBytes) bytes of XML are drawn. Remove what is not drawn.")
    }
    guard isWhole else { throw ImageError(.badImageData, "SVG: the packed file is damaged or cut off.") }
    guard prolog == .svg else { throw ImageError(.badImageData, "SVG: the file ends before its first element.") }
    xml = all
  }

  /// True if these first bytes of a file are those of an SVG, packed or not.
  static func isSVG(prefix: [UInt8]) -> Bool {
    let isLong = prefix.count >= SVGCoder.sniffLength
    var start = prefix
    if isPacked(prefix) {
      start = beginning(of: prefix)
      // The codes come before the first character, and often fill a prefix.
      if start.isEmpty { return isLong }
    }
    switch SVGProlog(start) {
    case .svg: return true
    // Comments may be long. In a short file nothing follows.
    case .cut: return isLong
    case .other: return false
    }
  }

  /// The bytes of a file, what is too much of them, and true if none is missing.
  private typealias Reading = (bytes: ImageBytes, excess: String?, isWhole: Bool)

  private static func plain(_ bytes: ImageBytes) throws(ImageError) -> Reading {
    guard bytes.count > mostBytes else { return (try bytes.loaded(), nil, true) }
    return (ImageBytes(try bytes.prefix(mostBytes)), "\(bytes.count) bytes", true)
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

  private static func unpacked(_ bytes: ImageBytes) throws(ImageError) -> Reading {
    // Bytes that cannot be packed grow by much less than this.
    let packed = try bytes.prefix(2 * mostBytes)
    var result = EASEL_SVG_NOT_UNPACKED
    // A packed file does not tell its size before it is unpacked, so that the room is for the most there may be.
    let xml = [UInt8](unsafeUninitializedCapacity: mostBytes) { target, count in
      result = easel_svg_unpack(packed, packed.count, target.baseAddress, target.count, &count)
    }
    let excess = result == EASEL_SVG_UNPACKED_TOO_MUCH ? "more than \(mostBytes) bytes" : nil
    return (ImageBytes(xml), excess, result == EASEL_SVG_UNPACKED)
  }
}
