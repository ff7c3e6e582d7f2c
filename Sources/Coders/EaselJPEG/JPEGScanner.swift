import EaselCoding
import EaselCore
import FoundationEssentials

/// Collects the content of the segments before the pixels, as far as the bytes go.
struct JPEGScanner: FileScanner {
  /// The file as known so far, nil before the frame header.
  private(set) var file: JPEGFile?
  private let limits: Limits
  private var position = 2
  private var isOver = false
  private var metadataBytes = 0
  private var markers = 0
  // Metadata found before the frame header.
  private var profile = JPEGProfilePieces()
  private var metadata = StoredMetadata()
  private var pictures: MultiPictureIndex?
  private var isoGainMap: [UInt8]?
  private var hasJFIF = false
  /// What Adobe's segment says of the colours.
  private var adobeTransform: UInt8?
  private var componentNames: [UInt8] = []

  static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
  static let exifMarker = Array("Exif\0\0".utf8)
  static let xmpMarker = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let isoMarker = Array("urn:iso:std:iso:ts:21496:-1\0".utf8)
  static let jfifMarker = Array("JFIF\0".utf8)
  static let adobeMarker = Array("Adobe".utf8)

  init(limits: Limits) { self.limits = limits }

  mutating func advance(
    over bytes: ImageBytes, isWhole: Bool, needsSizeOnly: Bool = false, work: WorkContext
  ) throws(ImageError) {
    if position == 2 { try checkSignature(bytes, isWhole: isWhole) }
    var window = JPEGWindow(bytes)
    while !isOver {
      if needsSizeOnly && file != nil { return }
      try work.checkCancellation()
      guard let marker = try nextMarker(&window, work), try take(marker.code, at: marker.end, &window) else { break }
      markers += 1
      try limits.check(blockCount: markers, claimedBy: "JPEG: the file")
    }
  }

  private func checkSignature(_ bytes: ImageBytes, isWhole: Bool) throws(ImageError) {
    let prefix = try bytes.prefix(Self.signature.count)
    guard prefix.count == Self.signature.count || !isWhole, Self.signature.starts(with: prefix) else {
      throw .bad("JPEG", "the signature is missing")
    }
  }

  /// Finds the next marker and skips any bytes before it, as the library does.
  private mutating func nextMarker(
    _ window: inout JPEGWindow, _ work: WorkContext
  ) throws(ImageError) -> (code: UInt8, end: Int)? {
    var steps = 0
    while let byte = try window.byte(at: position) {
      steps += 1
      if steps % 65_536 == 0 { try work.checkCancellation() }
      guard byte == 0xFF else {
        position += 1
        continue
      }
      guard let code = try window.byte(at: position + 1) else { return nil }
      if code != 0 && code != 0xFF { return (code, position + 2) }
      position += code == 0 ? 2 : 1
    }
    return nil
  }

  /// Reads the segment of a marker and moves past it; returns false while the segment is incomplete.
  private mutating func take(_ code: UInt8, at start: Int, _ window: inout JPEGWindow) throws(ImageError) -> Bool {
    switch code {
    case 0x01, 0xD0...0xD7:
      position = start
      return true
    case 0xD8:
      throw .bad("JPEG", "a second picture begins before the pixels of the first")
    case 0xD9:
      isOver = true
      return true
    default: break
    }
    guard let length = try window.number(at: start) else { return false }
    let end = start + max(2, length)
    if code == 0xDA { return try takeScan(at: start + 2, &window) }
    guard end <= window.bytes.count else { return false }
    try takeContent(of: code, start + 2..<end, &window)
    position = end
    return true
  }

  private mutating func takeContent(
    of code: UInt8, _ range: Range<Int>, _ window: inout JPEGWindow
  ) throws(ImageError) {
    switch code {
    case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: try takeFrame(code, range, &window)
    case 0xE0: try takeJFIF(range, &window)
    case 0xE1: try takeBlock(range, &window)
    case 0xE2: try takeSecondBlock(range, &window)
    case 0xEE: try takeAdobe(range, &window)
    default: break
    }
  }

  // MARK: Frame and scan headers

  private mutating func takeFrame(
    _ code: UInt8, _ range: Range<Int>, _ window: inout JPEGWindow
  ) throws(ImageError) {
    guard file == nil else { throw .bad("JPEG", "there are two frame headers") }
    let content = try window.bytes.part(at: range.lowerBound, count: range.count)
    guard content.count >= 6, content.count == 6 + 3 * Int(content[5]), content[5] > 0 else {
      throw .bad("JPEG", "the frame header has \(content.count) bytes, which do not fit its components")
    }
    let size = PixelSize(
      width: Int(content[3]) << 8 | Int(content[4]), height: Int(content[1]) << 8 | Int(content[2]))
    try limits.check(frame: size, claimedBy: "JPEG: the frame header")
    guard [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(code) else {
      throw Self.unsupported("the process of marker FF\(String(code, radix: 16, uppercase: true))")
    }
    guard content[0] == 8 else {
      guard content[0] == 12 else { throw .bad("JPEG", "the frame header claims \(content[0]) bits a component") }
      throw Self.unsupported("12 bits a component")
    }
    file = JPEGFile(
      size: size, bitDepth: 8, kind: try Self.kind(of: Int(content[5])), isProgressive: code == 0xC2 || code == 0xCA,
      isArithmetic: code >= 0xC9, coefficientBytes: JPEGFile.coefficientBytes(of: size, frame: content),
      hasUsualSamples: JPEGFile.hasUsualSamples(frame: content))
    componentNames = stride(from: 6, to: content.count, by: 3).map { content[$0] }
  }

  private static func kind(of components: Int) throws(ImageError) -> JPEGFile.Kind {
    switch components {
    case 1: return .gray
    case 3: return .color
    case 4: return .cmyk
    case 2: throw unsupported("2 components")
    default: throw .bad("JPEG", "the frame header claims \(components) components; colours have 1, 3 or 4")
    }
  }

  private static func unsupported(_ variant: String) -> ImageError {
    ImageError(.unsupportedFormat, "JPEG: libjpeg-turbo cannot decode a picture with \(variant).")
  }

  private mutating func takeScan(at start: Int, _ window: inout JPEGWindow) throws(ImageError) -> Bool {
    guard let count = try window.byte(at: start) else { return false }
    guard let frame = file else { throw .bad("JPEG", "the pixels begin before the frame header") }
    let components = frame.kind == .gray ? 1 : frame.kind == .color ? 3 : 4
    file?.hasSeveralScans = frame.isProgressive || Int(count) < components
    file?.pixelStart = start
    let hasRGB = frame.kind == .color && isRGB
    file?.isRGB = hasRGB
    file?.profile = profile
    file?.metadata = metadata
    file?.metadata.density = metadata.density ?? metadata.exif?.density
    file?.pictures = pictures
    file?.isoGainMap = isoGainMap
    isOver = true
    return true
  }

  /// True if libjpeg-turbo takes three components for red, green and blue.
  private var isRGB: Bool {
    guard !hasJFIF else { return false }
    return adobeTransform.map { $0 == 0 } ?? (componentNames == Array("RGB".utf8))
  }

  private mutating func takeAdobe(_ range: Range<Int>, _ window: inout JPEGWindow) throws(ImageError) {
    let head = try window.bytes.part(at: range.lowerBound, count: min(range.count, 12))
    if head.count == 12, head.starts(with: Self.adobeMarker) { adobeTransform = head[11] }
  }

  // MARK: Metadata

  private mutating func takeJFIF(_ range: Range<Int>, _ window: inout JPEGWindow) throws(ImageError) {
    let head = try window.bytes.part(at: range.lowerBound, count: min(range.count, 12))
    guard head.count == 12, head.starts(with: Self.jfifMarker) else { return }
    hasJFIF = true
    guard metadata.density == nil else { return }
    let perInch = head[7] == 1 ? 1 : head[7] == 2 ? 2.54 : 0
    let (horizontal, vertical) = (Int(head[8]) << 8 | Int(head[9]), Int(head[10]) << 8 | Int(head[11]))
    guard perInch > 0, horizontal > 0, vertical > 0 else { return }
    metadata.density = ImageMetadata.Density(
      horizontal: Double(horizontal) * perInch, vertical: Double(vertical) * perInch)
  }

  /// Reads the first EXIF and the first XMP segment.
  private mutating func takeBlock(_ range: Range<Int>, _ window: inout JPEGWindow) throws(ImageError) {
    let head = try window.bytes.part(at: range.lowerBound, count: min(range.count, Self.xmpMarker.count))
    if metadata.exif == nil, head.starts(with: Self.exifMarker) {
      try count(metadata: range, "EXIF")
      metadata.exif = EXIF(Data(try window.bytes.part(at: range.lowerBound, count: range.count)))
    } else if metadata.xmp == nil, head == Self.xmpMarker {
      try count(metadata: range, "XMP")
      let content = range.dropFirst(Self.xmpMarker.count)
      metadata.xmp = XMP(Data(try window.bytes.part(at: content.lowerBound, count: content.count)))
    }
  }

  /// Reads a piece of the colour profile, the first index of pictures, or the first block about a gain map.
  private mutating func takeSecondBlock(_ range: Range<Int>, _ window: inout JPEGWindow) throws(ImageError) {
    let head = try window.bytes.part(at: range.lowerBound, count: min(range.count, Self.isoMarker.count))
    if head.starts(with: JPEGProfilePieces.marker) {
      try count(metadata: range, "the colour profile")
      profile.append(
        head: Array(head.prefix(JPEGProfilePieces.headBytes)), start: range.lowerBound, count: range.count)
    } else if pictures == nil, head.starts(with: MultiPictureIndex.marker) {
      let start = range.lowerBound + MultiPictureIndex.marker.count
      let content = try window.bytes.part(
        at: start, count: min(range.upperBound - start, MultiPictureIndex.mostBytes))
      pictures = MultiPictureIndex(content, at: start)
    } else if isoGainMap == nil, head == Self.isoMarker {
      let start = range.lowerBound + head.count
      isoGainMap = try window.bytes.part(at: start, count: min(range.upperBound - start, 1024))
    }
  }

  private mutating func count(metadata range: Range<Int>, _ name: String) throws(ImageError) {
    metadataBytes += range.count
    try limits.check(metadataBytes: metadataBytes, claimedBy: "JPEG: \(name)")
  }
}
