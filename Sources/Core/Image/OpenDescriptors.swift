import EaselSupport
import Glibc
import Synchronization

/// Limits how many files are open at once.
///
/// If there are too many, the file that was not read for the longest time is closed.
///
/// A moving picture keeps its file for its whole life. A process may show more moving pictures than it may open files.
final class OpenDescriptors: Sendable {
  /// The limit is lower if the process may open only few files.
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

  /// Returns a number that is greater than all numbers of earlier uses, of any file.
  func nextUse() -> UInt64 { uses.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Counts an opened file, and closes other files while too many are open.
  func add(_ file: OpenFile) {
    entries.withLock { $0[ObjectIdentifier(file)] = Entry(file: file) }
    while closeOldest(besides: file) {}
  }

  /// Closes the file that was not read for the longest time; returns false when few enough files are open.
  private func closeOldest(besides file: OpenFile) -> Bool {
    let crowd = entries.withLock { entries in entries.count > limit ? Array(entries.values) : [] }
    // Outside the lock, because releasing the last reference to a file takes the lock.
    let others = crowd.compactMap(\.file).filter { $0 !== file }
    guard let oldest = others.min(by: { $0.lastUse < $1.lastUse }) else { return false }
    // Another thread may have chosen the same file. It closes that one, and this thread looks for the next.
    if remove(oldest) { oldest.closeUntilNextRead() }
    return true
  }

  /// Stops counting a file; returns false when it was no longer counted.
  @discardableResult
  func remove(_ file: OpenFile) -> Bool { entries.withLock { $0.removeValue(forKey: ObjectIdentifier(file)) != nil } }
}
