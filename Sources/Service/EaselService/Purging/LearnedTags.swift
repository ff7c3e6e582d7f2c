import EaselSupport

/// The tags that sources were found to have, in a table of bounded size.
///
/// A source tells its tags only when it is loaded. Once one of them was purged, the tag counts for the source like one that
/// its URL names. A source that was forgotten is looked up, found to be purged, and learned again.
final class LearnedTags: Sendable {
  private let capacity: Int
  private let tags = Locked<[String: [String]]>([:])

  init(capacity: Int = 8192) { self.capacity = capacity }

  subscript(source: String) -> [String] { tags.withLock { $0.isEmpty ? [] : $0[source] ?? [] } }

  func insert(_ names: [String], for source: String) {
    tags.withLock { tags in
      if tags.count >= capacity, tags[source] == nil { tags = [:] }
      tags[source] = names
    }
  }
}
