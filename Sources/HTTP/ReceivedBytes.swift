import EaselCore
import EaselSupport
import Glibc

/// A body that is still arriving: one writer appends bytes, and many readers read them without a copy.
///
/// Copies of this value refer to the same body, which lives in one locked object.
///
/// Bytes that a reader has never move: when the body outgrows its buffer, it continues in a new one, and the readers
/// keep the old one.
package struct ReceivedBytes: Sendable {
  private struct State {
    var buffer: PooledBuffer?
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  package var count: Int { state.withLock { $0.count } }

  /// Reserves memory for the announced length, so that the body never moves; returns false when there is no memory.
  package func reserve(_ capacity: Int) -> Bool {
    state.withLock { Self.makeRoom(for: capacity, in: &$0) }
  }

  /// Adds bytes at the end; returns false when memory runs out.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard let source = bytes.baseAddress, !bytes.isEmpty else { return true }
      guard Self.makeRoom(for: state.count + bytes.count, in: &state) else { return false }
      memcpy(state.buffer!.bytes.baseAddress! + state.count, source, bytes.count)
      state.count += bytes.count
      return true
    }
  }

  /// Removes everything from `offset` on.
  ///
  /// Readers keep their bytes, because later bytes go to a new buffer. When memory runs out, this returns false, and no
  /// bytes are left.
  @discardableResult
  package func truncate(to offset: Int) -> Bool {
    state.withLock { state in
      guard offset < state.count else { return true }
      let kept = state.buffer
      state.buffer = nil
      state.count = 0
      guard offset > 0, let kept else { return true }
      guard Self.makeRoom(for: offset, in: &state) else { return false }
      memcpy(state.buffer!.bytes.baseAddress!, kept.bytes.baseAddress!, offset)
      state.count = offset
      return true
    }
  }

  /// The bytes that have arrived so far.
  package func snapshot() -> ImageBytes {
    state.withLock { state in
      guard let buffer = state.buffer else { return ImageBytes([]) }
      return ImageBytes(buffer, count: state.count)
    }
  }

  private static func makeRoom(for needed: Int, in state: inout State) -> Bool {
    let capacity = state.buffer?.bytes.count ?? 0
    guard needed > capacity else { return true }
    guard let grown = BufferPool.shared.buffer(ofAtLeast: max(needed, capacity * 2, 4096)) else { return false }
    if let old = state.buffer { memcpy(grown.bytes.baseAddress!, old.bytes.baseAddress!, state.count) }
    state.buffer = grown
    return true
  }
}
