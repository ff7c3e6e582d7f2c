import EaselSupport
import Glibc
import Synchronization

/// Limits how many files are open at once: opening one more closes the one that was read longest ago.
///
/// A moving picture keeps its file for its whole life, and a process may show more of them than it may have open files.
final class OpenDescriptors: Sendable {
  /// Few, if the process may open few.
  static let shared = OpenDescriptors(limit: min(128, max(4, mostOfProcess / 8)))

  private static var mostOfProcess: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  private struct Entry {
    weak var file: OpenFile?
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])
  private let uses = Atomic<UInt64>(0)
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// A number that grows with each use of any file.
  func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Counts an opened file, and closes others while there are too many.
  func add(_ file: OpenFile) {
    entries.withLock { $0[ObjectIdentifier(file)] = Entry(file: file) }
    while closeOldest(besides: file) {}
  }

  /// Returns false when there are few enough files.
  private func closeOldest(besides file: OpenFile) -> Bool {
    let crowd = entries.withLock { entries in entries.count > limit ? Array(entries.values) : [] }
    // Outside the lock, because releasing the last reference to a file takes the lock.
    let others = crowd.compactMap(\.file).filter { $0 !== file }
    guard let oldest = others.min(by: { $0.lastUse < $1.lastUse }) else { return false }
    // Another thread may have chosen the same file. It closes that one, and this thread looks for the next.
    if remove(oldest) { oldest.closeUntilNextRead() }
    return true
  }

  /// Returns false when the file was not counted any more.
  @discardableResult
  func remove(_ file: OpenFile) -> Bool { entries.withLock { $0.removeValue(forKey: ObjectIdentifier(file)) != nil } }
}
