import CEaselGIF

/// A position within a chain of sub-blocks, each of which begins with its length.
struct GIFSubBlocks: Hashable {
  private(set) var position: Int
  /// The bytes left in the sub-block at the position.
  private var pending = 0
  /// The number of sub-blocks that are not full.
  private(set) var shortBlocks = 0

  init(at position: Int) { self.position = position }

  /// Skips bytes from the position on; returns true if they include the end of the chain.
  mutating func skip(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isOver = false
    position += easel_gif_skip(bytes.baseAddress, bytes.count, &pending, &shortBlocks, &isOver)
    return isOver
  }
}
