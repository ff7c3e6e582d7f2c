/// A piece of 64-byte-aligned memory that goes back to its pool when the last owner lets go of it.
///
/// Unchecked because its bytes are written only by a unique owner, or beyond what any reader has been shown.
package final class PooledBuffer: @unchecked Sendable {
  package let bytes: UnsafeMutableRawBufferPointer
  private let pool: BufferPool

  init(bytes: UnsafeMutableRawBufferPointer, pool: BufferPool) {
    self.bytes = bytes
    self.pool = pool
  }

  deinit { pool.takeBack(bytes) }
}
