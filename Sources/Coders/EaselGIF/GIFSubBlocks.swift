import CEaselGIF

/// A position within a chain of sub-blocks, each of which states its length first.
struct GIFSubBlocks: Hashable {
  private(set) var position: Int
  /// The bytes left in the sub-block at the position.
  private var pending = 0
  /// The number of sub-blocks shorter than the maximum length.
  private(set) var shortBlocks = 0

  init(at position: Int) { self.position = position }

  /// Steps over bytes that begin at the position; returns true when they include the end of the chain.
  mutating func skip(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isOver = false
    position += easel_gif_skip(bytes.baseAddress, bytes.count, &pending, &shortBlocks, &isOver)
    return isOver
  }
}
