import EaselCoding
import EaselCore
import FoundationEssentials

/// The directories of a file, read before libtiff sees it.
struct TIFFFile: Sendable {
  let directories: TIFFDirectoryReader
  /// The pictures, without masks and without smaller versions of other pictures.
  private(set) var pages: [TIFFPage] = []
  /// All directories of the file, for counting.
  private(set) var all: [TIFFDirectory] = []
  /// A description of damage that hides whole pages, or a part of the first one.
  private(set) var damage: String?
  /// True if pixels of a later page are not in the file.
  private(set) var hasLostPixels = false
  /// The first tag of metadata whose values are not in the file.
  private(set) var lostMetadata: Int?
  /// True if the file ends before it says whether there are more directories; nobody misses one.
  private(set) var hasOpenEnd = false
  private var entryCount = 0

  /// The damage in the directories, or in the pixels of later pages.
  ///
  /// The lost pixels of a later page cause an error once this page is asked for.
  var wound: Wound? {
    if let damage { return Wound(damage) }
    if hasLostPixels { return Wound("pixels of a later page are not in the file", sparesPixels: true) }
    if let lostMetadata {
      return Wound("the values of tag \(lostMetadata) are not in the file", sparesPixels: true)
    }
    guard hasOpenEnd else { return nil }
    return Wound("the file ends where its last directory should say that no other follows", sparesPixels: true)
  }

  /// Bytes that replace others in the file for libtiff.
  private var patches: [(offset: Int, bytes: [UInt8])] = []

  /// The most smaller versions of a picture that are listed.
  private static let mostReductions = 64

  init(_ bytes: ImageBytes, limits: Limits) throws(ImageError) {
    let head = try bytes.prefix(16)
    if let raw = TIFFSignature.raw(of: head) { throw .raw(raw) }
    guard let order = TIFFSignature.order(of: head) else { throw .bad("TIFF", "the file has no signature of TIFF") }
    guard head.count == 16 else { throw .bad("TIFF", "the file ends after \(head.count) bytes") }
    let reader = TIFFDirectoryReader(bytes: bytes, isBigEndian: order.isBigEndian, isBig: order.isBig)
    directories = reader
    if head[8...].starts(with: "CR".utf8) && !order.isBig { throw .raw("a Canon raw (CR2)") }
    let first = reader.number(order.isBig ? head[8..<16] : head[4..<8]) ?? .max
    try readChain(from: first, limits: limits)
    guard !pages.isEmpty else { throw .bad("TIFF", "the file has no directory with the size of a picture") }
  }

  private mutating func readChain(from first: Int, limits: Limits) throws(ImageError) {
    var (offset, seen) = (first, Set<Int>())
    var (strips, isCut) = (0, false)
    while offset != 0, seen.insert(offset).inserted {
      guard let directory = try directories.directory(at: offset) else {
        guard !all.isEmpty else {
          let lack = try directories.lack(at: offset)
          throw .bad("TIFF", "the first directory, at offset \(offset), \(lack)")
        }
        isCut = true
        break
      }
      try limits.check(frameCount: seen.count, claimedBy: "TIFF: the file")
      let isFirst = all.isEmpty
      try note(directory, limits)
      try add(directory, limits)
      let lostTag = directory.entries.first { TIFFTag.ofPixels.contains($0.tag) && !directories.isInside($0) }?.tag
      if !isFirst {
        let isCutOff = try isCutOff(directory, &strips)
        if lostTag != nil || isCutOff { hasLostPixels = true }
      } else if let lostTag {
        // libtiff reports damage to the pixels of the first page.
        damage = "the values of tag \(lostTag) are not in the file"
      }
      hasOpenEnd = hasOpenEnd || directory.hasNoLink
      guard let next = directory.next else {
        isCut = true
        break
      }
      offset = next
    }
    if isCut { damage = damage ?? "the file ends before the directory of its last page" }
    if pages.isEmpty, let only = all.first, let size = try size(of: only) {
      pages.append(TIFFPage(directory: only, size: size))
    }
  }

  /// Adds a directory to the list, unless there are too many entries.
  private mutating func note(_ directory: TIFFDirectory, _ limits: Limits) throws(ImageError) {
    entryCount += directory.entries.count
    try limits.check(blockCount: entryCount, claimedBy: "TIFF: the file")
    try checkValues(of: directory)
    if lostMetadata == nil { lostMetadata = try directories.lostMetadata(of: directory) }
    all.append(directory)
    try refuseRaw(directory)
    if let entry = directory.entry(TIFFTag.compression), entry.type == 3, try isNewJPEG(directory) {
      patches.append((entry.place, TIFFBlockWriter.bytes(of: 7, count: 2, isBigEndian: directories.isBigEndian)))
    }
  }

  /// True for an old JPEG that is whole in its only strip, although the file states a wrong place for it.
  ///
  /// libtiff only looks at the stated place. Newer files have only the strip.
  private func isNewJPEG(_ directory: TIFFDirectory) throws(ImageError) -> Bool {
    guard try directories.number(TIFFTag.compression, of: directory) == 6,
      let strips = try directories.numbers(of: directory.entry(TIFFTag.stripOffsets), atMost: 1), strips.count == 1,
      let stated = try directories.number(TIFFTag.jpegOffset, of: directory)
    else { return false }
    func bytes(at offset: Int) throws(ImageError) -> [UInt8] { try directories.bytes.part(at: offset, count: 2) }
    let start: [UInt8] = [0xFF, 0xD8]
    let (first, other) = (try bytes(at: strips[0]), try bytes(at: stated))
    return first == start && other != start
  }

  /// The file with the changes that libtiff needs.
  func mended(_ bytes: ImageBytes) throws(ImageError) -> ImageBytes { try bytes.patched(by: patches) }

  /// Refuses a directory whose values are longer than the file in total, because libtiff would load them all.
  private func checkValues(of directory: TIFFDirectory) throws(ImageError) {
    let total = directory.entries.reduce(0) { sum, entry in
      directories.isInside(entry) ? sum + (entry.byteCount ?? 0) : sum
    }
    guard total <= 2 * directories.bytes.count else {
      throw .bad(
        "TIFF",
        "a directory refers to the same bytes again and again: \(total) bytes of a file of "
          + "\(directories.bytes.count)")
    }
  }

  private func size(of directory: TIFFDirectory) throws(ImageError) -> PixelSize? {
    guard let width = try directories.number(TIFFTag.width, of: directory),
      let height = try directories.number(TIFFTag.height, of: directory), width > 0, height > 0
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  private mutating func add(_ directory: TIFFDirectory, _ limits: Limits) throws(ImageError) {
    guard let size = try size(of: directory) else {
      // A directory without a size holds no picture.
      return
    }
    let kind = try directories.number(TIFFTag.subfileType, of: directory) ?? 0
    let oldKind = try directories.number(TIFFTag.oldSubfileType, of: directory) ?? 0
    let isReduced = kind & 1 != 0 || oldKind == 2
    if try isMask(directory) { return }
    if isReduced {
      if let last = pages.indices.last { note(directory.offset, size, of: last) }
      return
    }
    pages.append(TIFFPage(directory: directory, size: size))
    let offsets = try directories.numbers(of: directory.entry(TIFFTag.subDirectories)) ?? []
    for offset in offsets.prefix(Self.mostReductions) {
      guard let child = try directories.directory(at: offset), child.next != nil else {
        hasLostPixels = true
        continue
      }
      try note(child, limits)
      hasOpenEnd = hasOpenEnd || child.hasNoLink
      if try !isMask(child), let size = try self.size(of: child) { note(offset, size, of: pages.count - 1) }
    }
  }

  /// True for the mask of a picture, which is not a picture itself.
  private func isMask(_ directory: TIFFDirectory) throws(ImageError) -> Bool {
    let kind = try directories.number(TIFFTag.subfileType, of: directory) ?? 0
    let photometric = try directories.number(TIFFTag.photometric, of: directory)
    return kind & 4 != 0 || photometric == 4
  }

  private mutating func note(_ offset: Int, _ size: PixelSize, of page: Int) {
    guard pages[page].reductions.count < Self.mostReductions, pages[page].isReduced(size) else { return }
    pages[page].reductions.append((offset, size))
  }

  /// True if strips or tiles reach beyond the end of the file, as far as their tables tell.
  private func isCutOff(_ directory: TIFFDirectory, _ strips: inout Int) throws(ImageError) -> Bool {
    let tags = [(TIFFTag.stripOffsets, TIFFTag.stripByteCounts), (TIFFTag.tileOffsets, TIFFTag.tileByteCounts)]
    for (offsets, counts) in tags {
      guard let entry = directory.entry(offsets), let lengths = directory.entry(counts) else { continue }
      // A file that names its strips twice is only meant to keep its reader busy.
      strips += entry.count
      guard strips <= directories.bytes.count else { return false }
      guard let starts = try directories.numbers(of: entry, atMost: .max),
        let sizes = try directories.numbers(of: lengths, atMost: .max)
      else { return true }
      let end = directories.bytes.count
      return zip(starts, sizes).contains { $0 > end || $1 > end - $0 }
    }
    return false
  }

  // MARK: Camera raws

  private func refuseRaw(_ directory: TIFFDirectory) throws(ImageError) {
    if directory.entry(TIFFTag.dngVersion) != nil { throw .raw("a digital negative (DNG)") }
    let photometric = try directories.number(TIFFTag.photometric, of: directory)
    let compression = try directories.number(TIFFTag.compression, of: directory)
    let isRaw = photometric == 32_803 || photometric == 34_892
    switch compression {
    case 34_713: throw .raw("a Nikon raw (NEF)")
    case 32_767: throw .raw("a Sony raw (ARW)")
    case 65_535: throw .raw("a Pentax raw (PEF)")
    case 32_770: throw .raw("a Samsung raw (SRW)")
    case _ where isRaw: throw .raw(try rawName())
    default: return
    }
  }

  private func rawName() throws(ImageError) -> String {
    guard let first = all.first, let text = try directories.block(TIFFTag.make, of: first) else {
      return "a camera raw"
    }
    let maker = String(decoding: text.prefix(16).prefix { $0 != 0 }, as: UTF8.self).uppercased()
    let names = [
      "NIKON": "a Nikon raw (NEF)", "SONY": "a Sony raw (ARW)", "PENTAX": "a Pentax raw (PEF)",
      "CANON": "a Canon raw (CR2)", "OLYMPUS": "an Olympus raw (ORF)", "PANASONIC": "a Panasonic raw (RW2)",
      "SAMSUNG": "a Samsung raw (SRW)", "HASSELBLAD": "a Hasselblad raw (3FR)", "PHASE ONE": "a Phase One raw (IIQ)",
      "KODAK": "a Kodak raw (DCR)", "EASTMAN KODAK": "a Kodak raw (DCR)", "LEAF": "a Leaf raw (MOS)",
    ]
    return names.first { maker.hasPrefix($0.key) }?.value ?? "a camera raw"
  }

  // MARK: What a page states besides its pixels

  /// The orientation of a page.
  func orientation(of page: TIFFPage) throws(ImageError) -> ImageMetadata.Orientation {
    try directories.number(TIFFTag.orientation, of: page.directory).flatMap(ImageMetadata.Orientation.init) ?? .up
  }

  func profile(of page: TIFFPage) throws(ImageError) -> Data? {
    try directories.block(TIFFTag.profile, of: page.directory).map { Data($0) }
  }

  func xmp(of page: TIFFPage) throws(ImageError) -> [UInt8]? {
    try directories.block(TIFFTag.xmp, of: page.directory)
  }

  func density(of page: TIFFPage) throws(ImageError) -> ImageMetadata.Density? {
    guard let horizontal = try directories.fraction(TIFFTag.horizontalResolution, of: page.directory),
      let vertical = try directories.fraction(TIFFTag.verticalResolution, of: page.directory)
    else { return nil }
    let unit = try directories.number(TIFFTag.resolutionUnit, of: page.directory) ?? 2
    guard unit == 2 || unit == 3, horizontal > 0, vertical > 0 else { return nil }
    let perInch = unit == 2 ? 1 : 2.54
    return ImageMetadata.Density(horizontal: horizontal * perInch, vertical: vertical * perInch)
  }
}

extension ImageError {
  /// The error for a camera raw, whose only readable picture would be a small preview.
  static func raw(_ name: String) -> ImageError {
    ImageError(
      .unsupportedFormat,
      "TIFF: this is \(name), which holds the values of a sensor instead of a picture. Develop it with a raw converter."
    )
  }
}
