/// What a recording store or cache can be asked for, to make it fail or stop there.
public enum StoreOperation: Hashable, Sendable, CaseIterable {
  /// Looking something up.
  case query
  /// Keeping something.
  case store
  /// Renewing the record of an original.
  case renew
  /// Forgetting something.
  case remove
  /// Asking whether something is there.
  case contains
  /// Forgetting everything.
  case clear
  /// Letting go of what is old.
  case trim
  /// Counting.
  case count
  /// Measuring.
  case size
}
