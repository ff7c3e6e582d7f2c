import Glibc

/// A body while it arrives: appended to by one, looked at by many, never copied for a look.
///
/// Copies are of the same body: what the lock holds is the only object there is, as every load makes one.
///
/// What was shown stays where it is: growing moves on to a new buffer and leaves the old one to those who look at it.
package struct ReceivedBytes: Sendable {
  private struct State {
    var buffer: PooledBuffer?
    var count = 0
  }

  private let state = Locked(State())

  package init() {}

  package var count: Int { state.withLock { $0.count } }

  /// Makes room for a body of an announced length, so that it never moves.
  package func reserve(_ capacity: Int) -> Bool {
    state.withLock { Self.makeRoom(for: capacity, in: &$0) }
  }

  /// Adds bytes at the end; returns whether there was memory for them.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard let source = bytes.baseAddress, !bytes.isEmpty else { return true }
      guard Self.makeRoom(for: state.count + bytes.count, in: &state) else { return false }
      memcpy(state.buffer!.bytes.baseAddress! + state.count, source, bytes.count)
      state.count += bytes.count
      return true
    }
  }

  /// Forgets everything from `offset` on.
  ///
  /// Those who look keep what they saw: bytes appended later go to a fresh buffer. Returns whether there was memory for
  /// it; without, nothing is left at all.
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

  /// What has arrived so far.
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
