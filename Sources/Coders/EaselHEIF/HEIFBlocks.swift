import EaselCore

/// The bytes of a file, and memory for items whose bytes are scattered over the file.
///
/// This object owns both. Everything that points into them holds this object, on other threads as well.
final class HEIFBlocks {
  private let file: ImageBytes
  private var blocks: [Int: UnsafeMutableRawBufferPointer] = [:]

  init(of file: ImageBytes) { self.file = file }

  deinit { for block in blocks.values { block.deallocate() } }

  /// The bytes of all parts of an item, one after another; an item that is used often is joined only once.
  func joined(_ parts: [UnsafeRawBufferPointer], of item: Int) -> UnsafeRawBufferPointer {
    if let block = blocks[item] { return UnsafeRawBufferPointer(block) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: parts.reduce(0) { $0 + $1.count }, alignment: 16)
    blocks[item] = block
    var place = 0
    for part in parts {
      UnsafeMutableRawBufferPointer(rebasing: block[place...]).copyMemory(from: part)
      place += part.count
    }
    return UnsafeRawBufferPointer(block)
  }
}
