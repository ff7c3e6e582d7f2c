import CEaselGIF

/// A place within a chain of sub-blocks, each of which states its length first.
struct GIFChain: Hashable {
  private(set) var position: Int
  /// What is left of the sub-block at the position.
  private var pending = 0
  /// How many sub-blocks were shorter than they can be.
  private(set) var shortBlocks = 0

  init(at position: Int) { self.position = position }

  /// Steps over bytes that begin at the position; returns whether they held the end.
  mutating func skip(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var isOver = false
    position += easel_gif_skip(bytes.baseAddress, bytes.count, &pending, &shortBlocks, &isOver)
    return isOver
  }
}
