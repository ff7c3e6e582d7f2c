/// A piece of 64-byte-aligned memory that goes back to its pool when the last owner lets go of it.
///
/// Unchecked because its bytes are written only by a unique owner, or beyond what any reader has been shown.
package final class PooledBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  /// Whether it came from the system just now, which makes all of its bytes zero without touching them.
  package let isFresh: Bool
  private let pool: BufferPool

  init(bytes: UnsafeMutableRawBufferPointer, isFresh: Bool, pool: BufferPool) {
    self.bytes = bytes
    self.isFresh = isFresh
    self.pool = pool
  }

  deinit { pool.takeBack(bytes) }
}
