/// The operations of a recording store or cache that a test can make fail or stop.
public enum StoreOperation: Hashable, Sendable, CaseIterable {
  /// Looking up an entry.
  case query
  /// Storing an entry.
  case store
  /// Renewing the record of an original.
  case renew
  /// Removing an entry.
  case remove
  /// Checking for an entry.
  case contains
  /// Removing all entries.
  case clear
  /// Removing old entries.
  case trim
  /// Counting the entries.
  case count
  /// Measuring the entries.
  case size
}
