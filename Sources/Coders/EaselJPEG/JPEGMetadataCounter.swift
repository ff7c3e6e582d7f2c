import EaselCore

/// Counts the bytes of a file that belong neither to its picture nor to its colour profile.
///
/// It reads the whole file, because segments may stand between scans, and other pictures or videos after the last one.
/// The pixels themselves are not decoded: everything from the header of a scan to the next marker counts as pixels.
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
        return hasScan ? metadata + window.bytes.count - position : nil
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
}
