import EaselCoding
import EaselCore

/// Counts the bytes of a file that belong neither to its picture nor to its colour profile.
///
/// It reads the whole file, because segments may stand between scans, and other pictures or videos after the last one.
/// The pixels themselves are not decoded: everything from the header of a scan to the next marker counts as pixels. A
/// gain map counts as a part of the picture, but only if it is exactly what the encoder writes, which has no room for
/// more.
struct JPEGMetadataCounter {
  private let work: WorkContext
  private var window: JPEGWindow
  private var metadata = 0
  private var position = 2
  private var hasFrame = false
  private var hasScan = false
  private var hasJFIF = false
  private var hasAdobe = false
  private var profile = Profile()
  private var claims = Claims()
  /// True for the bytes of a gain map, which has none itself.
  private var isMap = false

  /// The segments about a gain map, which count as metadata unless they are those that the encoder writes.
  private struct Claims {
    var segments: [(marker: UInt8, content: Range<Int>)] = []
    var bytes = 0
  }

  /// The segments of the colour profile found so far.
  private struct Profile {
    var total = 0
    var numbers: Set<UInt8> = []
    var bytes = 0

    var isComplete: Bool { numbers.count == total }
  }

  /// The content of JFIF without a thumbnail, and that of Adobe's segment.
  private static let (jfifBytes, adobeBytes) = (14, 12)
  private static let adobeMarker = Array("Adobe".utf8)

  init(_ bytes: ImageBytes, work: WorkContext) {
    self.work = work
    window = JPEGWindow(bytes)
  }

  /// The number of bytes; nil when the file is not understood to its end.
  mutating func count() throws(ImageError) -> Int? {
    guard try window.bytes.prefix(JPEGScanner.signature.count) == JPEGScanner.signature else { return nil }
    for segment in 0..<work.limits.blocks {
      if segment % 256 == 0 { try work.checkCancellation() }
      guard let code = try nextMarker() else { return nil }
      if code == 0xD9 {
        // Readers ignore an incomplete profile, so that its bytes may be anything.
        if !profile.isComplete { metadata += profile.bytes }
        guard hasScan else { return nil }
        if claims.segments.isEmpty { return metadata + window.bytes.count - position }
        let isPicture = isMap ? false : try hasOnlyItsGainMap()
        return metadata + (isPicture ? 0 : claims.bytes + window.bytes.count - position)
      }
      guard try take(code) else { return nil }
    }
    return nil
  }

  /// Moves behind the next marker; bytes before it belong to nothing.
  private mutating func nextMarker() throws(ImageError) -> UInt8? {
    var steps = 0
    while let start = try window.offset(of: 0xFF, from: position, work: work) {
      metadata += start - position
      position = start
      // Any number of FF may precede a marker.
      while try window.byte(at: position) == 0xFF {
        position += 1
        steps += 1
        if steps % 65_536 == 0 { try work.checkCancellation() }
      }
      guard let code = try window.byte(at: position) else { return nil }
      position += 1
      if code != 0 { return code }
      metadata += position - start
    }
    return nil
  }

  /// Takes the segment of a marker; returns false for one that is damaged or not understood.
  private mutating func take(_ code: UInt8) throws(ImageError) -> Bool {
    switch code {
    case 0x01, 0xD0...0xD7:
      metadata += 2
      return true
    case 0xD8: return false
    default: break
    }
    guard let length = try window.number(at: position), length >= 2, position + length <= window.bytes.count else {
      return false
    }
    let content = position + 2..<position + length
    position = content.upperBound
    switch code {
    case 0xE0: try takeJFIF(content)
    case 0xE2 where try isClaim(content, [JPEGScanner.isoMarker, MultiPictureIndex.marker]): claim(code, content)
    case 0xE1 where try isClaim(content, [JPEGScanner.xmpMarker]): claim(code, content)
    case 0xE2: try takeProfile(content)
    case 0xEE: try takeAdobe(content)
    case 0xE1...0xEF, 0xFE: add(content)
    default: return try takePicture(code, content)
    }
    return true
  }

  /// Counts a whole segment: the marker, the length and the content.
  private mutating func add(_ content: Range<Int>) { metadata += content.count + 4 }

  // MARK: The picture

  private mutating func takePicture(_ code: UInt8, _ content: Range<Int>) throws(ImageError) -> Bool {
    let bytes = try window.bytes.part(at: content.lowerBound, count: content.count)
    switch code {
    case 0xC0...0xC2, 0xC9, 0xCA:
      guard !hasFrame, bytes.count >= 6, bytes.count == 6 + 3 * Int(bytes[5]) else { return false }
      hasFrame = true
    case 0xDA:
      guard hasFrame, bytes.count >= 4, bytes.count == 4 + 2 * Int(bytes[0]) else { return false }
      hasScan = true
      return try skipScan()
    case 0xC4:
      return Self.areTables(bytes) { head in head.count < 17 ? nil : 17 + head[1..<17].reduce(0) { $0 + Int($1) } }
    case 0xDB: return Self.areTables(bytes) { head in head[0] < 0x10 ? 65 : 129 }
    case 0xCC: return bytes.count % 2 == 0
    case 0xDD: return bytes.count == 2
    default: return false
    }
    return true
  }

  /// True when tables fill the bytes exactly; `length` tells the length of the table that begins there.
  private static func areTables(_ bytes: [UInt8], length: ([UInt8]) -> Int?) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let count = length(Array(rest.prefix(17))), count <= rest.count else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Moves to the marker after the coded pixels.
  private mutating func skipScan() throws(ImageError) -> Bool {
    while let start = try window.offset(of: 0xFF, from: position, work: work) {
      guard let code = try window.byte(at: start + 1) else { return false }
      switch code {
      case 0, 0xD0...0xD7: position = start + 2
      case 0xFF: position = start + 1
      default:
        position = start
        return true
      }
    }
    return false
  }

  // MARK: Applications

  private mutating func takeJFIF(_ content: Range<Int>) throws(ImageError) {
    let head = try window.bytes.part(at: content.lowerBound, count: min(content.count, Self.jfifBytes))
    guard !hasJFIF, head.count == Self.jfifBytes, head.starts(with: JPEGScanner.jfifMarker) else { return add(content) }
    hasJFIF = true
    metadata += content.count - Self.jfifBytes
  }

  private mutating func takeAdobe(_ content: Range<Int>) throws(ImageError) {
    let head = try window.bytes.part(at: content.lowerBound, count: min(content.count, Self.adobeBytes))
    guard !hasAdobe, head.count == Self.adobeBytes, head.starts(with: Self.adobeMarker) else { return add(content) }
    hasAdobe = true
    metadata += content.count - Self.adobeBytes
  }

  private mutating func takeProfile(_ content: Range<Int>) throws(ImageError) {
    let head = try window.bytes.part(
      at: content.lowerBound, count: min(content.count, JPEGProfilePieces.headBytes))
    // Readers look for the profile only before the pixels.
    guard !hasScan, head.count == JPEGProfilePieces.headBytes, head.starts(with: JPEGProfilePieces.marker) else {
      return add(content)
    }
    let (number, total) = (head[12], Int(head[13]))
    if profile.numbers.isEmpty { profile.total = total }
    guard number > 0, Int(number) <= profile.total, total == profile.total, profile.numbers.insert(number).inserted
    else { return add(content) }
    profile.bytes += content.count + 4
  }

  // MARK: Gain maps

  private mutating func isClaim(_ content: Range<Int>, _ markers: [[UInt8]]) throws(ImageError) -> Bool {
    let most = markers.map(\.count).max() ?? 0
    let head = try window.bytes.part(at: content.lowerBound, count: min(content.count, most))
    return !hasScan && markers.contains { head.starts(with: $0) }
  }

  private mutating func claim(_ code: UInt8, _ content: Range<Int>) {
    claims.segments.append((code, content))
    claims.bytes += content.count + 4
  }

  /// True when nothing but a gain map follows, and all about it is as the encoder writes it.
  private func hasOnlyItsGainMap() throws(ImageError) -> Bool {
    let mapBytes = window.bytes.count - position
    guard claims.segments.count == 3, mapBytes > 0, mapBytes <= work.limits.downloadBytes else { return false }
    let (packet, block, index) = (claims.segments[0], claims.segments[1], claims.segments[2])
    let start = index.content.lowerBound + MultiPictureIndex.marker.count
    let expected = MultiPictureIndex.content(
      firstBytes: position, secondBytes: mapBytes, secondOffset: position - start)
    guard
      try holds(packet, 0xE1, JPEGScanner.xmpMarker + XMPGainMap.packet(announcing: mapBytes, in: nil)),
      try holds(block, 0xE2, JPEGScanner.isoMarker + [0, 0, 0, 0]),
      try holds(index, 0xE2, MultiPictureIndex.marker + expected)
    else { return false }
    let map = ImageBytes(try window.bytes.part(at: position, count: mapBytes))
    var counter = JPEGMetadataCounter(map, work: work)
    counter.isMap = true
    return try counter.isGainMap()
  }

  private func holds(
    _ segment: (marker: UInt8, content: Range<Int>), _ marker: UInt8, _ expected: [UInt8]
  ) throws(ImageError) -> Bool {
    guard segment.marker == marker, segment.content.count == expected.count else { return false }
    return try window.bytes.part(at: segment.content.lowerBound, count: expected.count) == expected
  }

  /// True when the file is a gain map with its numbers and nothing else.
  private mutating func isGainMap() throws(ImageError) -> Bool {
    guard let count = try count(), claims.segments.count == 2, count == claims.bytes else { return false }
    let name = JPEGScanner.isoMarker.count
    let block = claims.segments[1].content.dropFirst(name)
    guard
      let formula = GainMap.Formula(
        iso21496: try window.bytes.part(at: block.lowerBound, count: min(block.count, 1024)))
    else { return false }
    for (segment, expected) in zip(claims.segments, JPEGMapWriter.numbers(of: formula)) {
      guard try holds(segment, UInt8(expected.marker), expected.bytes) else { return false }
    }
    return true
  }
}
