import EaselSupport

/// The tags that sources were found to have, in a table of bounded size.
///
/// A source tells its tags only when it is loaded. Once one of them was purged, the tag counts for the source like one that
/// its URL names. A source that was forgotten is looked up, found to be purged, and learned again.
final class LearnedTags: Sendable {
  private let capacity: Int
  private let state = Locked<(tags: [String: [String]], version: UInt64)>(([:], 0))

  init(capacity: Int = 8192) { self.capacity = capacity }

  /// Grows with each change.
  var version: UInt64 { state.withLock { $0.version } }

  subscript(source: String) -> [String] { state.withLock { $0.tags.isEmpty ? [] : $0.tags[source] ?? [] } }

  func insert(_ names: [String], for source: String) {
    state.withLock { state in
      if state.tags.count >= capacity, state.tags[source] == nil { state.tags = [:] }
      state.tags[source] = names
      state.version += 1
    }
  }
}
