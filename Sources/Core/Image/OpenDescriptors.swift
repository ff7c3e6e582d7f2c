import Glibc
import Synchronization

/// A file descriptor that is closed when its last reader releases it.
final class OpenDescriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }
}

/// Limits how many files are open at once: opening one more closes the one that was read longest ago.
///
/// A moving picture keeps its file for its whole life, and a process may show more of them than it may have open files.
final class OpenDescriptors: Sendable {
  static let shared = OpenDescriptors(limit: 128)

  private struct Entry {
    weak var file: OpenFile?
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])
  private let uses = Atomic<UInt64>(0)
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// A number that grows with each use of any file.
  func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Counts an opened file, and closes another one when there are too many.
  func add(_ file: OpenFile) {
    let crowd = entries.withLock { entries in
      entries[ObjectIdentifier(file)] = Entry(file: file)
      return entries.count > limit ? Array(entries.values) : []
    }
    // Outside the lock, because releasing the last reference to a file takes the lock.
    let others = crowd.compactMap(\.file).filter { $0 !== file }
    guard let oldest = others.min(by: { $0.lastUse < $1.lastUse }) else { return }
    remove(oldest)
    oldest.closeForNow()
  }

  func remove(_ file: OpenFile) { entries.withLock { $0[ObjectIdentifier(file)] = nil } }
}
