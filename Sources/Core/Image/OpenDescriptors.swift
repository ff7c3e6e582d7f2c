import Glibc
import Synchronization

/// A file's descriptor, closed when nobody reads through it any more.
final class OpenDescriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { close(number) }
}

/// Lets no more than so many files be open at once: the one that was read longest ago is closed for the next one.
///
/// A moving picture keeps its file for as long as it lives, and a process may show more of them than it may have files.
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

  /// Counts a file that was opened, and closes another one where there are too many.
  func add(_ file: OpenFile) {
    let crowd = entries.withLock { entries in
      entries[ObjectIdentifier(file)] = Entry(file: file)
      return entries.count > limit ? Array(entries.values) : []
    }
    // Without the lock, since whoever lets go of a file last takes it.
    let others = crowd.compactMap(\.file).filter { $0 !== file }
    guard let oldest = others.min(by: { $0.lastUse < $1.lastUse }) else { return }
    remove(oldest)
    oldest.closeForNow()
  }

  func remove(_ file: OpenFile) { entries.withLock { $0[ObjectIdentifier(file)] = nil } }
}
