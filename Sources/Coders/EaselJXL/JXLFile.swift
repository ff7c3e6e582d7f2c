import EaselCoding
import EaselCore
import FoundationEssentials

/// The boxes of a file, or none if it is a bare codestream.
struct JXLFile {
  /// A description of missing bytes; nil if the boxes are whole.
  private(set) var damage: String?
  /// The number of bytes in boxes that belong to no picture, and of those after the last box; nil without boxes.
  private(set) var metadataBytes: Int?
  /// True for a codestream that goes on to the end of the file, as far as boxes tell.
  private(set) var isCodestreamLast = true
  /// Heads of boxes that libjxl must see in place of others, which are as long.
  private var patches: [(offset: Int, bytes: [UInt8])] = []

  /// The letters of a box's name as one number.
  private enum Kind {
    static let signature = code("JXL "), type = code("ftyp"), level = code("jxll"), index = code("jxli")
    static let whole = code("jxlc"), part = code("jxlp"), free = code("free")

    static let known: Set<UInt32> = [
      signature, type, level, index, whole, part, code("Exif"), code("xml "), code("brob"), code("jbrd"), code("jumb"),
    ]

    private static func code(_ name: StaticString) -> UInt32 {
      name.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }
  }

  /// Reads the boxes of a file.
  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    let result = bytes.withBytesInMemory { bytes in
      Result<JXLFile, ImageError> { () throws(ImageError) in try JXLFile(bytes, limits: limits) }
    }
    guard let result else { preconditionFailure("The bytes are not in memory.") }
    self = try result.get()
  }

  private init(_ bytes: UnsafeRawBufferPointer, limits: Limits) throws(ImageError) {
    guard bytes.starts(with: JXLSignature.container) else { return }
    isCodestreamLast = false
    var (offset, spare, boxes) = (0, 0, 0)
    var isComplete = false
    while offset < bytes.count {
      let found = Self.box(at: offset, in: bytes)
      // Other bytes after the end of the picture may look like the start of a box.
      if isComplete, found.map({ $0.content.upperBound > bytes.count && !Kind.known.contains($0.kind) }) ?? true {
        spare += bytes.count - offset
        break
      }
      guard let box = found else {
        damage = "the file ends after \(bytes.count) bytes, in the head of a box"
        return
      }
      boxes += 1
      if box.content.lowerBound - offset == 16 { shortenHead(of: box, at: offset) }
      try limits.check(blockCount: boxes, claimedBy: "JXL: the file")
      switch box.kind {
      case Kind.signature, Kind.type, Kind.level, Kind.index: break
      case Kind.whole, Kind.part:
        isCodestreamLast = bytes[offset..<offset + 4].allSatisfy { $0 == 0 }
        // The highest bit marks the last part.
        isComplete =
          box.kind == Kind.whole
          || bytes.count - box.content.lowerBound >= 1
            && bytes[box.content.lowerBound] & 0x80 != 0
      default: spare += box.content.upperBound - offset
      }
      offset = box.content.upperBound
      if offset > bytes.count {
        damage = "the file has \(bytes.count) bytes, but its last box ends after \(offset)"
        return
      }
    }
    metadataBytes = spare
  }

  /// The file as libjxl must see it.
  func mended(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes { try bytes.patched(by: patches) }

  /// Gives a box of extended size the head of a usual one, behind an empty box that fills the gap.
  ///
  /// libjxl looks for the size before the kind, where no file has it.
  private mutating func shortenHead(of box: (kind: UInt32, content: Range<Int>), at offset: Int) {
    guard let size = UInt32(exactly: box.content.upperBound - offset - 8) else { return }
    let words: [UInt32] = [8, Kind.free, size, box.kind]
    patches.append((offset, words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }))
  }

  /// The kind and the content of a box, which may end outside the file; nil if there is no whole head.
  private static func box(at offset: Int, in bytes: UnsafeRawBufferPointer) -> (kind: UInt32, content: Range<Int>)? {
    func number(_ place: Int, _ count: Int) -> UInt64? {
      guard bytes.count - place >= count else { return nil }
      return bytes[place..<place + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let size = number(offset, 4), let kind = number(offset + 4, 4) else { return nil }
    let kindCode = UInt32(truncatingIfNeeded: kind)
    switch size {
    case 0: return (kindCode, offset + 8..<bytes.count)
    case 1:
      guard let long = number(offset + 8, 8), let size = Int(exactly: long), size >= 16, size <= Int.max - offset
      else { return nil }
      return (kindCode, offset + 16..<offset + size)
    default: return size < 8 ? nil : (kindCode, offset + 8..<offset + Int(size))
    }
  }
}
