import CEaselSVG
import EaselCore
import FoundationEssentials

/// The XML of a file, which may be packed.
struct SVGFile {
  /// The number of bytes within which the first element must begin, whatever comments precede it.
  private static let prologBytes = 1 << 20

  /// The bytes of the XML.
  let xml: ImageBytes

  /// Reads a file whose first element is an SVG; a packed file must unpack to at most `mostUnpacked` bytes.
  init(_ bytes: ImageBytes, limits: Limits, mostUnpacked: Int = .max) throws(ImageError) {
    let isPacked = Self.isPacked(try bytes.prefix(3))
    let most = min(limits.downloadBytes, isPacked ? mostUnpacked : .max)
    let (all, excess, isWhole) = try isPacked ? Self.unpacked(bytes, most) : Self.plain(bytes, most)
    let prolog = all.withBytesInMemory { SVGProlog($0.prefix(Self.prologBytes)) } ?? .other
    guard prolog != .other else {
      throw ImageError(.unsupportedFormat, "SVG: the first element of the file is not an SVG.")
    }
    if let excess {
      throw ImageError(
        .limitExceeded,
        "SVG: the file has \(excess) of XML, over the limit of \(most) bytes. Raise Limits.downloadBytes to allow it.")
    }
    guard isWhole else { throw ImageError(.badImageData, "SVG: the packed file is damaged or cut off.") }
    // A prolog that is longer than the examined bytes may still belong to an SVG.
    guard prolog == .svg || all.count > Self.prologBytes else {
      throw ImageError(.badImageData, "SVG: the file ends before its first element.")
    }
    xml = all
  }

  /// True if these first bytes of a file can belong to an SVG, packed or not.
  static func isSVG(prefix: [UInt8]) -> Bool {
    let isLong = prefix.count >= SVGCoder.sniffLength
    var start = prefix
    if isPacked(prefix) {
      start = beginning(of: prefix)
      // The code tables come before the first character, and often fill a prefix.
      if start.isEmpty { return isLong }
    }
    switch SVGProlog(start) {
    case .svg: return true
    // Comments may be long, so a long prefix may end within one. After a short file, nothing follows.
    case .cut: return isLong
    case .other: return false
    }
  }

  /// The bytes of a file, a description of the excess, and true if no bytes are missing.
  private typealias Reading = (bytes: ImageBytes, excess: String?, isWhole: Bool)

  private static func plain(_ bytes: ImageBytes, _ most: Int) throws(ImageError) -> Reading {
    guard bytes.count > most else { return (try bytes.loaded(), nil, true) }
    return (ImageBytes(try bytes.prefix(min(most, prologBytes))), "\(bytes.count) bytes", true)
  }

  // MARK: Packed files

  /// True for the signature of gzip.
  private static func isPacked(_ prefix: [UInt8]) -> Bool { prefix.starts(with: [0x1F, 0x8B, 8]) }

  /// The first bytes of XML that the start of a packed file unpacks to.
  private static func beginning(of packed: [UInt8]) -> [UInt8] {
    var made = 0
    return [UInt8](unsafeUninitializedCapacity: 1 << 10) { target, count in
      _ = easel_svg_unpack(packed, packed.count, target.baseAddress, target.count, &made)
      count = made
    }
  }

  private static func unpacked(_ bytes: ImageBytes, _ most: Int) throws(ImageError) -> Reading {
    // Bytes that cannot be packed grow by much less than a factor of two. The limit may be as large as `Int.max`.
    let packed = try bytes.prefix(most < bytes.count / 2 ? 2 * most : bytes.count)
    // A packed file does not state its unpacked size, so unpacking is tried with more and more room.
    var room = min(most, max(1 << 20, 8 * packed.count))
    while true {
      var result = EASEL_SVG_NOT_UNPACKED
      let xml = [UInt8](unsafeUninitializedCapacity: room) { target, count in
        result = easel_svg_unpack(packed, packed.count, target.baseAddress, target.count, &count)
      }
      if result == EASEL_SVG_UNPACKED_TOO_MUCH, room < most {
        room = min(most, 4 * room)
        continue
      }
      let excess = result == EASEL_SVG_UNPACKED_TOO_MUCH ? "more than \(most) bytes" : nil
      return (ImageBytes(xml), excess, result == EASEL_SVG_UNPACKED)
    }
  }
}
