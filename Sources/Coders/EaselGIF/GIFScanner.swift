import EaselCoding
import EaselCore
import FoundationEssentials

/// Collects the content of the blocks received so far, and skips pixels.
struct GIFScanner: FileScanner {
  private enum Chain {
    /// An extension with its label and the offset of its first sub-block.
    case `extension`(UInt8, start: Int)
    case pixels
  }

  /// The file as known so far, nil before its header is complete.
  private(set) var file: GIFFile?
  private let limits: Limits
  /// The offset of the next block, unless a block is being skipped.
  private var position = 0
  private var inside: (kind: Chain, chain: GIFSubBlocks)?
  /// The control values for the next frame.
  private var control = GIFFrame.Control()
  private var metadataBytes = 0
  /// The number of blocks and short sub-blocks so far.
  ///
  /// Full sub-blocks are not counted, because a file cannot store its data in fewer of them.
  private var blocks = 0
  /// The number of steps so far.
  ///
  /// Tests check how this number grows with the file.
  private(set) var steps = 0
  private var saysRepeatsFirst = false
  /// True if a block has begun that announces another frame.
  private var announcesFrame = false
  /// The offset of the first zero in place of a block.
  private var strayZeros: Int?

  static let signatures = ["GIF87a", "GIF89a"].map { Array($0.utf8) }

  init(limits: Limits) { self.limits = limits }

  mutating func advance(
    over bytes: ImageBytes, isWhole: Bool, needsSizeOnly: Bool = false, work: WorkContext
  ) throws(ImageError) {
    let window = GIFWindow(bytes)
    try work.checkCancellation()
    while !isFinished && !(needsSizeOnly && hasSize) {
      steps += 1
      if steps % 256 == 0 { try work.checkCancellation() }
      if file == nil {
        guard try takeHeader(window, isWhole: isWhole) else { break }
      } else if let kind = inside?.kind {
        let isOver = try window.skip(&inside!.chain, atMost: limits.blocks - blocks, work: work)
        try limits.check(blockCount: blocks + inside!.chain.shortBlocks, claimedBy: "GIF: the file")
        guard isOver else { break }
        blocks += inside!.chain.shortBlocks
        position = inside!.chain.position
        inside = nil
        try end(kind, window)
      } else {
        guard try takeBlock(window) else { break }
        blocks += 1
        try limits.check(blockCount: blocks, claimedBy: "GIF: the file")
      }
    }
    if needsSizeOnly && hasSize { return }
    if isWhole && !isFinished { try endWithoutTrailer(window) }
  }

  /// Notes that the trailer is missing; the pixels are spared if no other frame has begun.
  private mutating func endWithoutTrailer(_ window: GIFWindow) throws(ImageError) {
    let hasBegun = announcesFrame || inside == nil && position < window.bytes.count
    // A single frame may be whole even without the end of its data. Only reading the frame tells.
    let isSound = file?.current == nil ? !hasBegun : file?.frames.isEmpty == true
    let text = "the file ends after \(window.bytes.count) bytes, without its trailer"
    try spoil(text, sparesPixels: isSound)
  }

  private var hasSize: Bool { file?.canvas.isEmpty == false }

  private var isFinished: Bool { file.map { $0.hasEnd || $0.wound != nil } ?? false }

  /// Notes damage; throws if there is no frame to show yet.
  private mutating func spoil(_ damage: String, sparesPixels: Bool = false) throws(ImageError) {
    guard file?.first != nil else { throw .bad("GIF", damage) }
    file?.wound = Wound(damage, sparesPixels: sparesPixels)
  }

  // MARK: Header

  private mutating func takeHeader(_ window: GIFWindow, isWhole: Bool) throws(ImageError) -> Bool {
    let head = try window.bytes.part(at: 0, count: 13)
    guard Self.signatures.contains(where: { $0.starts(with: head.prefix(6)) }) else {
      throw .bad("GIF", "the signature is missing")
    }
    guard head.count == 13 else {
      if isWhole { throw .bad("GIF", "the file ends after \(head.count) bytes, in its header") }
      return false
    }
    let tableBytes = Self.tableBytes(head[10])
    let table = try window.bytes.part(at: 13, count: tableBytes)
    let canvas = PixelSize(width: head.littleEndian16(at: 6), height: head.littleEndian16(at: 8))
    if !canvas.isEmpty { try limits.check(frame: canvas, claimedBy: "GIF: the screen descriptor") }
    guard table.count == tableBytes else {
      if isWhole { throw .bad("GIF", "the file ends within its table of colours") }
      return false
    }
    file = GIFFile(canvas: canvas, table: table, background: Int(head[11]))
    position = 13 + tableBytes
    return true
  }

  /// The length of the table of colours that the flags of a descriptor state.
  static func tableBytes(_ flags: UInt8) -> Int { flags & 0x80 != 0 ? 6 << Int(flags & 7) : 0 }

  // MARK: Blocks

  /// Begins the next block; returns false if the block needs more bytes.
  private mutating func takeBlock(_ window: GIFWindow) throws(ImageError) -> Bool {
    let head = try window.bytes.part(at: position, count: GIFFrame.byteCount)
    guard let kind = head.first else { return false }
    if let strayZeros, kind != 0 { try endZeros(strayZeros, before: kind) }
    guard file?.wound == nil else { return true }
    switch kind {
    case 0x00 where file?.first != nil: try skipZeros(window)
    case 0x3B:
      guard file?.first != nil else { throw .bad("GIF", "there is no frame in the file") }
      file?.hasEnd = true
    case 0x21:
      guard head.count >= 2 else { return false }
      announcesFrame = announcesFrame || head[1] == 0xF9 || head[1] == 0x01
      inside = (.extension(head[1], start: position + 2), GIFSubBlocks(at: position + 2))
    case 0x2C:
      guard head.count == GIFFrame.byteCount else { return false }
      return try takeFrame(head, window)
    default:
      try spoil("there is no valid block at byte \(position)")
    }
    return true
  }

  /// Skips zeros after a frame, which some devices write instead of the trailer.
  private mutating func skipZeros(_ window: GIFWindow) throws(ImageError) {
    strayZeros = strayZeros ?? position
    let zeros = try window.bytes.part(at: position, count: 64 << 10)
    position += zeros.firstIndex { $0 != 0 } ?? zeros.count
  }

  /// Judges zeros after their end; unless the trailer follows, they mean that a part of the file was lost.
  private mutating func endZeros(_ start: Int, before kind: UInt8) throws(ImageError) {
    try spoil("there is no valid block at byte \(start)", sparesPixels: kind == 0x3B && !announcesFrame)
  }

  private mutating func takeFrame(_ head: [UInt8], _ window: GIFWindow) throws(ImageError) -> Bool {
    let tableStart = position + GIFFrame.byteCount
    let tableBytes = Self.tableBytes(head[9])
    let table = try window.bytes.part(at: tableStart, count: tableBytes)
    guard table.count == tableBytes, tableStart + tableBytes < window.bytes.count, let file else { return false }
    let values = [1, 3, 5, 7].map { head.littleEndian16(at: $0) }
    let rect = PixelRect(x: values[0], y: values[1], width: values[2], height: values[3])
    let number = file.frames.count + 1
    guard !rect.isEmpty else {
      try spoil("frame \(number) claims \(rect.size), which has no pixels")
      return true
    }
    try limits.check(frame: rect.size, claimedBy: "GIF: frame \(number)")
    if file.canvas.isEmpty { try takeCanvas(from: rect) }
    try limits.check(frameCount: number, claimedBy: "GIF: the file")
    let frame = GIFFrame(
      rect: rect, isInterlaced: head[9] & 0x40 != 0, control: control, table: tableBytes > 0 ? table : file.table,
      dataStart: tableStart + tableBytes)
    self.file?.begin(frame)
    announcesFrame = false
    control = GIFFrame.Control()
    inside = (.pixels, GIFSubBlocks(at: frame.dataStart + 1))
    return true
  }

  /// If the file states 0 for a side of the canvas, this side reaches to the end of the first frame.
  private mutating func takeCanvas(from rect: PixelRect) throws(ImageError) {
    let stated = file!.canvas
    let canvas = PixelSize(
      width: stated.width > 0 ? stated.width : rect.x + rect.width,
      height: stated.height > 0 ? stated.height : rect.y + rect.height)
    try limits.check(frame: canvas, claimedBy: "GIF: the first frame")
    file?.canvas = canvas
  }

  private mutating func end(_ kind: Chain, _ window: GIFWindow) throws(ImageError) {
    switch kind {
    case .pixels: file!.endFrame(at: position)
    case .extension(0xF9, let start):
      control = GIFFrame.Control(try window.content(of: start..<min(position, start + 16))) ?? control
    // A plain text extension uses up the control values before it.
    case .extension(0x01, _): control = GIFFrame.Control()
    case .extension(0xFF, let start): try takeApplication(start..<position, window)
    case .extension: break
    }
  }

  // MARK: Applications

  private mutating func takeApplication(_ range: Range<Int>, _ window: GIFWindow) throws(ImageError) {
    let head = try window.bytes.part(at: range.lowerBound, count: 12)
    guard head.count == 12, head[0] == 11 else { return }
    let blocks = range.dropFirst(12)
    switch String(decoding: head[1...], as: UTF8.self) {
    case "NETSCAPE2.0", "ANIMEXTS1.0":
      let content = try window.content(of: blocks.prefix(8))
      guard content.count >= 3, content[0] == 1 else { return }
      // A repeat count before the first frame takes precedence over later counts.
      if file?.first == nil { saysRepeatsFirst = true } else if saysRepeatsFirst { return }
      file?.repeats = content.littleEndian16(at: 1)
    case "ICCRGBG1012":
      try count(metadata: blocks.count, of: "the profile")
      if file?.metadata.profile == nil { file?.metadata.profile = try GIFMetadata.profile(in: blocks, window) }
    case "XMP DataXMP":
      try count(metadata: blocks.count, of: "XMP")
      if file?.metadata.xmp == nil { file?.metadata.xmp = try GIFMetadata.xmp(in: blocks, window).map(XMP.init) }
    default: break
    }
  }

  private mutating func count(metadata bytes: Int, of name: String) throws(ImageError) {
    metadataBytes += bytes
    try limits.check(metadataBytes: metadataBytes, claimedBy: "GIF: \(name)")
  }
}
