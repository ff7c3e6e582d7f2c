/// What becomes of an answer in the caches.
enum Keeping: Sendable {
  /// It takes the place of what is there.
  case stored
  /// It is not kept, and what is there stays.
  case passedBy
  /// It is not kept, and what is there is no longer right.
  case forgotten
}
