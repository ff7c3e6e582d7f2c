import EaselCoding
import EaselCore

/// The boxes of a file; a bare codestream has none.
struct JXLFile {
  /// A description of missing bytes; nil if the boxes are whole.
  private(set) var damage: String?
  /// The number of bytes in boxes that belong to no picture and after the last box; nil without boxes.
  private(set) var metadataBytes: Int?
  /// The bytes among them that restore a packed JPEG.
  private(set) var restoringBytes = 0
  /// True if the codestream extends to the end of the file, as far as the boxes tell.
  private(set) var isCodestreamLast = true
  /// The heads of boxes that replace others of the same length in the bytes for libjxl.
  private var patches: [(offset: Int, bytes: [UInt8])] = []

  /// The boxes that may follow the end of the picture.
  private static let known: Set<MediaBox.Kind> = [
    "JXL ", "ftyp", "jxll", "jxli", "jxlc", "jxlp", "Exif", "xml ", "brob", "jbrd", "jumb",
  ]

  /// Reads the boxes of a file.
  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    self = try bytes.withMedia { (bytes) throws(ImageError) in try JXLFile(bytes, limits: limits) }
  }

  private init(_ bytes: MediaBytes, limits: Limits) throws(ImageError) {
    let signature = JXLSignature.container
    guard let start = bytes.bytes(in: 0..<signature.count), start.elementsEqual(signature) else { return }
    isCodestreamLast = false
    var (offset, spare, boxes) = (0, 0, 0)
    var isComplete = false
    while offset < bytes.count {
      let found = bytes.box(at: offset, before: bytes.count)
      // Other bytes after the end of the picture may look like the start of a box.
      if isComplete, found.map({ $0.end > bytes.count && !Self.known.contains($0.kind) }) ?? true {
        spare += bytes.count - offset
        break
      }
      guard let box = found else {
        damage = "the file ends after \(bytes.count) bytes, in the head of a box"
        return
      }
      boxes += 1
      if box.content - box.start == 16 { shortenHead(of: box) }
      try limits.check(blockCount: boxes, claimedBy: "JXL: the file")
      switch box.kind {
      case "JXL ", "ftyp", "jxll", "jxli": break
      case "jxlc", "jxlp":
        isCodestreamLast = bytes.isOpen(box)
        // The highest bit marks the last part of the codestream.
        isComplete = box.kind == "jxlc" || bytes.number(at: box.content, bytes: 1).map { $0 & 0x80 != 0 } ?? false
      default:
        spare += box.count
        if box.kind == "jbrd" { restoringBytes += box.count }
      }
      offset = box.end
      if offset > bytes.count {
        damage = "the file has \(bytes.count) bytes, but its last box ends after \(offset)"
        return
      }
    }
    metadataBytes = spare
  }

  /// The file with the changes that libjxl needs.
  func mended(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes { try bytes.patched(by: patches) }

  /// Replaces the head of a box of extended size by an empty box that fills the gap and a usual head.
  ///
  /// libjxl expects the extended size before the kind, but files have it after the kind.
  private mutating func shortenHead(of box: MediaBox) {
    guard let size = UInt32(exactly: box.count - 8) else { return }
    let words = [8, MediaBox.Kind("free").code, Int(size), box.kind.code]
    patches.append(
      (box.start, words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }))
  }
}
