import EaselCoding
import EaselCore

/// Reads the content of a file except its pixels.
struct JXLScan {
  let file: JXLFile
  private(set) var header: JXLHeader
  /// A description of missing or damaged bytes; nil if no damage is known.
  private(set) var damage: String?
  /// The bytes of the file with the changes that libjxl needs, in memory.
  let bytes: ImageBytes

  init(_ source: ImageBytes, work: WorkContext) throws(ImageError) {
    try work.checkCancellation()
    let loaded = try source.loaded()
    let file = try JXLFile(loaded, limits: work.limits)
    let bytes = try file.mended(loaded)
    self.bytes = bytes
    self.file = file
    damage = file.damage
    let reader = try JXLReader(.headers, limits: work.limits)
    var found: JXLHeader?
    var hasColors = false
    loop: while true {
      switch try reader.next(over: bytes, work: work) {
      case .header: found = try JXLHeader(reader.header, limits: work.limits)
      case .colors:
        try found?.takeColors(of: reader, limits: work.limits)
        hasColors = true
      case .frame:
        guard let layer = reader.frame else { break loop }
        try found?.take(layer, limits: work.limits)
      case .end: break loop
      case .cutOff:
        damage = damage ?? "the file ends after \(bytes.count) bytes, before the picture is complete"
        break loop
      case .damaged, .needsTarget, .pixels:
        damage = damage ?? "the file is damaged after \(reader.consumed) bytes"
        break loop
      }
    }
    guard var header = found, hasColors else {
      throw .bad("JXL", damage ?? "there is no picture in the \(bytes.count) bytes of the file")
    }
    if damage == nil, header.isSequence, file.isCodestreamLast, try !Self.endsWithWholeFrame(bytes, work: work) {
      damage = "the file ends after \(bytes.count) bytes, in the middle of frame \(header.delays.count - 1)"
    }
    if damage != nil { header.dropLastFrame() }
    header.metadata.exif = reader.exif.flatMap(EXIF.init)
    header.metadata.xmp = reader.xmp.map(XMP.init)
    header.metadata.density = header.metadata.exif?.density
    try work.limits.check(metadataBytes: header.metadata.byteCount, claimedBy: "JXL: the file")
    self.header = header
  }

  /// False if a sequence is cut off in its last frame.
  ///
  /// Checks only the last frame; the scan of headers has checked the others.
  private static func endsWithWholeFrame(_ bytes: ImageBytes, work: WorkContext) throws(ImageError) -> Bool {
    let reader = try JXLReader(.ends, limits: work.limits)
    while true {
      switch try reader.next(over: bytes, work: work) {
      case .header, .colors, .frame: break
      case .needsTarget: guard try reader.passPixels(of: bytes) else { return false }
      case .cutOff: return false
      // Decoding the pixels will find the damage.
      case .pixels, .end, .damaged: return true
      }
    }
  }

  /// The number of bytes that belong to no picture; nil if the file is damaged.
  func metadataBytes(work: WorkContext) throws(ImageError) -> Int? {
    guard damage == nil else { return nil }
    let inBoxes = try (file.metadataBytes ?? 0) - restoringBytes(work: work)
    let known = inBoxes + (header.orientation == .up ? 0 : 1)
    return try file.isCodestreamLast ? end(work: work).map { bytes.count - $0 + known } : known
  }

  /// The bytes in boxes that restore a packed JPEG and none of its metadata.
  private func restoringBytes(work: WorkContext) throws(ImageError) -> Int {
    guard file.restoringBytes > 0 else { return 0 }
    do throws(ImageError) {
      let metadata = try JXLPacking(work: work).metadataBytes(ofJPEGIn: bytes)
      return metadata.map { max(0, file.restoringBytes - $0) } ?? 0
    } catch {
      // It says nothing about the picture if the JPEG cannot be restored.
      guard error.code == .badImageData || error.code == .limitExceeded else { throw error }
      return 0
    }
  }

  /// The number of bytes up to the end of a codestream without a stated length; nil if the codestream is damaged.
  ///
  /// libjxl finds the end only by decoding.
  private func end(work: WorkContext) throws(ImageError) -> Int? {
    let reader = try JXLReader(.pixels, limits: work.limits)
    var frames = 0
    while true {
      switch try reader.next(over: bytes, work: work) {
      case .header, .colors, .frame: break
      case .needsTarget: guard reader.discardPixels() else { return nil }
      case .pixels:
        frames += 1
        if frames >= header.delays.count { return reader.consumed }
      case .end: return reader.consumed
      case .cutOff, .damaged: return nil
      }
    }
  }
}
