import EaselSupport
import FoundationEssentials

extension Data {
  /// Creates data in memory of the pool.
  ///
  /// The memory may hold older bytes, so `fill` must write every byte.
  package init(pooledCount count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    guard let buffer = BufferPool.shared.buffer(ofAtLeast: count) else {
      throw ImageError.exhausted("There is no memory for a file of \(count) bytes.")
    }
    try fill(UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<count]))
    self = try ImageBytes(buffer, count: count).unchangedData()
  }
}
