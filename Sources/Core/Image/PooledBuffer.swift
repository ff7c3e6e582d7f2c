/// A block of 64-byte-aligned memory that returns to its pool with its last reference.
///
/// Unchecked because bytes are written only by a unique owner, or behind the part that readers have been given.
package final class PooledBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// True when the memory is new from the system, so that all bytes are zero and untouched.
  package let isFresh: Bool
  private let pool: BufferPool

  init(bytes: UnsafeMutableRawBufferPointer, isFresh: Bool, pool: BufferPool) {
    self.bytes = bytes
    self.isFresh = isFresh
    self.pool = pool
  }

  deinit { pool.takeBack(bytes) }
}
