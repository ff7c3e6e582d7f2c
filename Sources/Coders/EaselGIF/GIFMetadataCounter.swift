import EaselCore

/// Counts the bytes of a file that belong neither to its picture nor to its colour profile.
///
/// A block belongs to the picture only if readers use it: of two blocks of a kind, the second may contain anything.
struct GIFMetadataCounter {
  private let work: WorkContext
  private let window: GIFWindow
  private var metadata = 0
  private var blocks = 0
  private var position = 0
  private var hasFrame = false
  private var hasLoops = false
  private var hasProfile = false
  /// True if control values wait for their frame.
  private var hasControl = false

  /// The lengths of a graphic control extension and of the extension that states the number of repeats.
  private static let (controlBytes, loopBytes) = (8, 19)

  init(_ bytes: ImageBytes, work: WorkContext) {
    self.work = work
    window = GIFWindow(bytes)
  }

  /// The number of bytes; nil if the file is not understood to its end.
  mutating func count() throws(ImageError) -> Int? {
    let head = try window.bytes.part(at: 0, count: 13)
    guard head.count == 13, GIFScanner.signatures.contains(Array(head.prefix(6))) else { return nil }
    position = 13 + GIFScanner.tableBytes(head[10])
    while blocks < work.limits.blocks {
      if blocks % 256 == 0 { try work.checkCancellation() }
      blocks += 1
      let head = try window.bytes.part(at: position, count: GIFFrame.byteCount)
      switch head.first {
      case 0x21 where head.count >= 2: guard try takeExtension(head[1]) else { return nil }
      case 0x2C where head.count == GIFFrame.byteCount: guard try takeFrame(head[9]) else { return nil }
      case 0x3B:
        dropControl()
        return hasFrame ? metadata + window.bytes.count - position - 1 : nil
      default: return nil
      }
    }
    return nil
  }

  private mutating func takeFrame(_ flags: UInt8) throws(ImageError) -> Bool {
    guard let end = try endOfChain(at: position + GIFFrame.byteCount + GIFScanner.tableBytes(flags) + 1) else {
      return false
    }
    position = end
    hasControl = false
    hasFrame = true
    return true
  }

  /// The end of a chain of sub-blocks; nil if the file ends before it, or if the chain has too many short sub-blocks.
  private mutating func endOfChain(at start: Int) throws(ImageError) -> Int? {
    var chain = GIFSubBlocks(at: start)
    guard try window.skip(&chain, atMost: work.limits.blocks - blocks, work: work) else { return nil }
    blocks += chain.shortBlocks
    return chain.position
  }

  // MARK: Extensions

  private mutating func takeExtension(_ label: UInt8) throws(ImageError) -> Bool {
    guard let end = try endOfChain(at: position + 2) else { return false }
    let block = position..<end
    position = end
    switch label {
    case 0xF9:
      guard block.count == Self.controlBytes else { return false }
      dropControl()
      hasControl = true
    case 0xFF: try takeApplication(block)
    default:
      // A plain text extension uses up the control values before it.
      if label == 0x01 { dropControl() }
      metadata += block.count
    }
    return true
  }

  private mutating func takeApplication(_ block: Range<Int>) throws(ImageError) {
    let head = try window.bytes.part(at: block.lowerBound + 2, count: 14)
    guard head.count == 14, head[0] == 11 else {
      metadata += block.count
      return
    }
    switch String(decoding: head[1...11], as: UTF8.self) {
    case "NETSCAPE2.0" where isLoop(head, block), "ANIMEXTS1.0" where isLoop(head, block): hasLoops = true
    case "ICCRGBG1012" where !hasProfile: hasProfile = true
    default: metadata += block.count
    }
  }

  private func isLoop(_ head: [UInt8], _ block: Range<Int>) -> Bool {
    !hasLoops && block.count == Self.loopBytes && head[12] == 3 && head[13] == 1
  }

  /// Counts control values that no frame uses.
  private mutating func dropControl() {
    if hasControl { metadata += Self.controlBytes }
    hasControl = false
  }
}
