/// Takes the entries of an ``ImageLog``, for a log of any library.
///
/// ```swift
/// struct StandardError: LogSink {
///   func accepts(_ level: ImageLog.Level) -> Bool { level >= .warning }
///   func write(_ entry: ImageLog.Entry) { debugPrint(entry.level, entry.message, entry.fields) }
/// }
/// ```
public protocol LogSink: Sendable {
  /// True if entries of this level are wanted; others are not made.
  func accepts(_ level: ImageLog.Level) -> Bool

  /// Fields that all entries about a load shall have, such as the name of the request that wants the picture.
  ///
  /// It is called when a load begins, with the task-locals of its caller, and for no other load.
  func callerFields() -> [String: String]

  /// Writes an entry.
  func write(_ entry: ImageLog.Entry)
}

extension LogSink {
  /// Accepts every level.
  public func accepts(_ level: ImageLog.Level) -> Bool { true }

  /// Adds no fields.
  public func callerFields() -> [String: String] { [:] }
}

/// Hands entries from a level on to a closure.
struct ClosureSink: LogSink {
  let least: ImageLog.Level
  let entry: @Sendable (ImageLog.Entry) -> Void

  func accepts(_ level: ImageLog.Level) -> Bool { level >= least }
  func write(_ entry: ImageLog.Entry) { self.entry(entry) }
}
