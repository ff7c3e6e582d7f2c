import EaselCoding
import EaselCore

/// The pictures of an icon or a cursor.
struct ICODirectory {
  /// The pictures that can be read, in the order of the file.
  let parts: [ICOEntry]
  /// The best picture: the largest one, and the deepest one among equally large ones.
  let best: ICOEntry
  /// A description of damage.
  let damage: String?
  /// True if every entry names a picture.
  let isComplete: Bool

  static let headerBytes = 6
  static let entryBytes = 16

  /// Returns true if these bytes begin an icon or a cursor whose first entry is possible.
  static func begins(_ prefix: [UInt8]) -> Bool {
    guard prefix.count >= headerBytes + entryBytes, prefix.little16(at: 0) == 0, (1...2).contains(prefix[2]),
      prefix[3] == 0
    else { return false }
    let count = prefix.little16(at: 4)
    return count > 0 && prefix.little32(at: 14) > 0 && prefix.little32(at: 18) >= headerBytes + entryBytes * count
  }

  init(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) {
    let start = try bytes.prefix(Self.headerBytes + Self.entryBytes)
    guard Self.begins(start) else {
      throw .bad("ICO", "the \(bytes.count) bytes do not begin with the directory of an icon")
    }
    let count = start.little16(at: 4)
    try work.limits.check(blockCount: count, claimedBy: "ICO: the directory")
    let entries = try bytes.part(at: Self.headerBytes, count: Self.entryBytes * count)
    var parts: [ICOEntry] = []
    var damage: String?
    if entries.count < Self.entryBytes * count { damage = "the file ends within its directory" }
    var isComplete = damage == nil
    for index in 0..<entries.count / Self.entryBytes {
      if index % 256 == 0 { try work.checkCancellation() }
      let place = index * Self.entryBytes
      switch try ICOEntry.read(
        bytes, offset: entries.little32(at: place + 12), count: entries.little32(at: place + 8),
        // In a cursor, this field holds a coordinate instead of the depth.
        statedBits: start[2] == 1 ? entries.little16(at: place + 6) : 0)
      {
      case .part(let part): parts.append(part)
      case .cut:
        damage = damage ?? "the file ends before its picture \(index)"
        isComplete = false
      case .unknown: isComplete = false
      }
    }
    guard var best = parts.first else {
      throw .bad("ICO", damage ?? "none of its \(count) pictures is a bitmap or a PNG")
    }
    for part in parts where part.isBetter(than: best) { best = part }
    try work.limits.check(frame: best.size, claimedBy: "ICO: a picture")
    (self.parts, self.best, self.damage, self.isComplete) = (parts, best, damage, isComplete)
  }

  var imageHeader: ImageHeader {
    ImageHeader(format: .ico, storedSize: best.size, hasAlpha: true)
  }

  /// The smallest picture that is large enough for `size`, and the deepest one among equally large ones.
  func part(sufficientFor size: PixelSize) -> ICOEntry {
    var chosen = best
    for part in parts
    where part.size.width >= size.width && part.size.height >= size.height && part.hasRatio(of: best.size) {
      let isSmaller = part.size.area < chosen.size.area
      if isSmaller || part.size.area == chosen.size.area && part.isBetter(than: chosen) { chosen = part }
    }
    return chosen
  }
}
