import EaselCore
import EaselPixels
import EaselTestPixels
import FoundationEssentials

/// The rules about orientations and blocks of metadata.
extension FormatContract {
  func checkOrientation(_ note: FormatFindings) throws {
    for orientation in ImageMetadata.Orientation.allCases {
      for keeps in format.keeps.contains(.exif) ? [false, true] : [false] {
        try check(orientation, besideEXIF: keeps, note)
      }
    }
  }

  private func check(
    _ orientation: ImageMetadata.Orientation, besideEXIF keeps: Bool, _ note: FormatFindings
  ) throws {
    let bitmap = try Bitmap.noise(9, 4, pixels)
    var metadata = ImageMetadata(storedSize: bitmap.size, orientation: orientation)
    if keeps { metadata.exif = EXIFBlock.of(.down) }
    let bytes = try encode(Image(bitmap, metadata: metadata), exact) { $0.keepsMetadata = keeps }
    let what = "The orientation \(orientation)\(keeps ? " beside EXIF" : "")"
    let raw = try decode(bytes) { $0.appliesOrientation = false }
    note.expect(
      raw.metadata.orientation == orientation && raw.size == bitmap.size && (!isExact || raw.bitmap == bitmap),
      "\(what) comes back as \(raw.metadata.orientation) of \(raw.size), or with other pixels.")
    let upright = try decode(bytes)
    let expected = try raw.bitmap.oriented(orientation)
    note.expect(
      upright.bitmap == expected && upright.metadata.orientation == .up, "\(what) is not applied, or not once.")
    let stated = try probe(bytes).orientation
    note.expect(stated == orientation, "\(what) is \(stated) in the header.")
    guard keeps else {
      let isFree = format.keeps.contains(.orientationOutsideEXIF)
      return note.expect(!isFree || upright.metadata.exif == nil, "\(what) makes a block of EXIF.")
    }
    let found = [raw, upright].map { EXIFBlock.orientation(in: $0.metadata.exif) }
    note.expect(
      found == [orientation, .up], "\(what) is \(found) in EXIF: as it is stored, and when it is set upright.")
  }

  func checkOrientationOfEXIF(_ note: FormatFindings) throws {
    let bitmap = try Bitmap.noise(40, 20, .opaqueRGBA8)
    let metadata = ImageMetadata(storedSize: bitmap.size, exif: EXIFBlock.of(.up))
    var bytes = try encode(Image(bitmap, metadata: metadata), exact) { $0.keepsMetadata = true }
    replace(EXIFBlock.of(.up), by: EXIFBlock.of(.right), in: &bytes, note)
    for applies in [true, false] {
      let image = try decode(bytes) { $0.appliesOrientation = applies }
      note.expect(
        image.bitmap == bitmap && image.metadata.orientation == .up
          && EXIFBlock.orientation(in: image.metadata.exif) == .up,
        "EXIF turns the picture, which says \(image.metadata.orientation), although the orientation stands elsewhere.")
    }
    let stated = try probe(bytes).orientation
    note.expect(stated == .up, "The header has the orientation \(stated) of EXIF.")
  }

  private func replace(_ old: Data, by new: Data, in bytes: inout [UInt8], _ note: FormatFindings) {
    let found = bytes.firstRange(of: Array(old))
    note.expect(found != nil, "EXIF is not in the file as it was.")
    if let found { bytes.replaceSubrange(found, with: new) }
  }

  func checkMetadata(_ note: FormatFindings) throws {
    let keeps = format.keeps
    var metadata = ImageMetadata(storedSize: PixelSize(width: 2, height: 2))
    metadata.exif = EXIFBlock.of(.left)
    metadata.xmp = Data("<x:xmpmeta/>".utf8)
    metadata.density = ImageMetadata.Density(horizontal: 300, vertical: 72)
    let image = try Image(Bitmap(2, 2, .white), metadata: metadata)
    let dropped = try decode(encode(image)).metadata
    note.expect(
      dropped.exif == nil && dropped.xmp == nil && dropped.density == nil, "Metadata that nobody wants are written.")
    let bytes = try encode(image) { $0.keepsMetadata = true }
    let kept = try decode(bytes).metadata
    if keeps.contains(.exif) {
      // The pixels stand upright, so the block must say so too.
      let orientation = EXIFBlock.orientation(in: kept.exif)
      let count = try probe(bytes).exifBytes
      note.expect(
        orientation == .up && count == kept.exif?.count,
        "EXIF comes back with the orientation \(orientation as Any), and the header says it has \(count) bytes.")
    }
    if keeps.contains(.xmp) { note.expect(kept.xmp == metadata.xmp, "XMP comes back as \(kept.xmp as Any).") }
    if keeps.contains(.density) {
      let (across, down) = (kept.density?.horizontal ?? 0, kept.density?.vertical ?? 0)
      note.expect(
        abs(across - 300) < 0.02 && abs(down - 72) < 0.02, "The density 300x72 comes back as \(across)x\(down).")
    }
  }

  func checkDamagedEXIF(_ note: FormatFindings) throws {
    let bitmap = try Bitmap.noise(12, 10, pixels)
    let metadata = ImageMetadata(storedSize: bitmap.size, exif: EXIFBlock.of(.up))
    var bytes = try encode(Image(bitmap, metadata: metadata)) { $0.keepsMetadata = true }
    replace(EXIFBlock.of(.up).prefix(4), by: Data([255, 255, 255, 255]), in: &bytes, note)
    let image = try decode(bytes)
    note.expect(
      image.size == bitmap.size && image.metadata.exif == nil,
      "Damaged EXIF is kept, or makes the picture \(image.size).")
  }

  // MARK: Counting

  func checkPlainFiles(_ note: FormatFindings) throws {
    guard let counter else { return }
    let stills = try [Bitmap.noise(13, 11, pixels), .noise(9, 9, .gray8), .waves(90, 70)].map { Image($0) }
    for image in try stills + (format.motion == nil ? [] : [moving().image]) {
      for options in format.damagedWays + [exact] {
        let bytes = try encode(image, options)
        for more in [[], [1, 2, 3]] as [[UInt8]] {
          let count = try counter.metadataBytes(of: ImageBytes(bytes + more), work: WorkContext())
          note.expect(
            count == more.count,
            "\(image.frames?.count ?? 1) frames of \(image.size), and \(more.count) bytes, count as \(count as Any).")
        }
      }
    }
  }

  func checkBlocks(_ note: FormatFindings) throws {
    guard let counter, let blocks = format.blocks else { return }
    var limits = Limits()
    limits.blocks = 50
    func count(_ blocks: [UInt8], isCancelled: Bool = false) throws -> Int? {
      try counter.metadataBytes(of: ImageBytes(blocks), work: WorkContext(limits: limits, isCancelled: isCancelled))
    }
    let (few, many) = (try count(blocks.file(30)), try count(blocks.file(60)))
    note.expect(
      few == 30 * blocks.bytesOfEach, "30 blocks of \(blocks.bytesOfEach) bytes are counted as \(few as Any).")
    note.expect(many == nil, "60 blocks are counted as \(many as Any) bytes although the limit is 50 blocks.")
    do {
      let answer = try count(blocks.file(30), isCancelled: true)
      note.expect(false, "Counting that is given up answers \(answer as Any).")
    } catch {
      note.expect((error as? ImageError)?.isCancellation == true, "Counting that is given up ends with \(error).")
    }
    let file = try blocks.file(3)
    for end in 0..<file.count {
      let answer = try counter.metadataBytes(of: ImageBytes(Array(file[..<end])), work: WorkContext())
      note.expect(answer == nil, "\(end) of \(file.count) bytes claim \(answer as Any) bytes of metadata.")
    }
  }
}
