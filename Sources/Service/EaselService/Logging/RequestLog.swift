import EaselCore
import EaselObserving
import FoundationEssentials
import Glibc

/// Writes one line for each request.
///
/// A line never has a signature, a query, credentials or a key. Paths are left out unless asked for.
package final class RequestLog: Sendable {
  /// The form of the lines.
  package enum Form: String, CaseIterable, Sendable {
    /// `name=value` pairs.
    case text
    /// One JSON object per line.
    case json
  }

  /// The requests that are logged; each level has those of the next one too.
  package enum Level: String, CaseIterable, Sendable {
    /// All.
    case info
    /// Those that failed, whoever is at fault.
    case warning
    /// Those in which the server or a source failed.
    case error
  }

  private let form: Form
  private let level: Level
  private let showsPaths: Bool
  private let writer: LogWriter

  /// Creates a log; `write` may block, because it is called on a thread of the log's own.
  package init(
    _ form: Form, level: Level = .info, showsPaths: Bool = false, capacity: Int = 4096,
    write: @escaping @Sendable (String) -> Void = { LogWriter.writeToStandardError($0) }
  ) {
    self.form = form
    self.level = level
    self.showsPaths = showsPaths
    writer = LogWriter(capacity: capacity, notice: { Self.notice($0, form) }, write: write)
  }

  /// The number of lines that were dropped because they could not be written fast enough.
  package var droppedCount: Int { writer.droppedCount }

  /// Logs a request; it never waits.
  package func write(_ entry: RequestLogEntry) {
    guard isWanted(entry) else { return }
    writer.write(LogLine.text(LogLine.fields(of: entry, showsPaths: showsPaths), form))
  }

  private func isWanted(_ entry: RequestLogEntry) -> Bool {
    switch level {
    case .info: true
    case .warning: entry.status >= 400
    case .error: entry.status >= 500
    }
  }

  /// Writes what is queued and ends the log; true when everything was written in time.
  @discardableResult
  package func close(withinMilliseconds milliseconds: Int = 1000) -> Bool {
    writer.close(withinMilliseconds: milliseconds)
  }

  private static func notice(_ dropped: Int, _ form: Form) -> String {
    LogLine.text(
      [
        ("dropped", .number("\(dropped)")),
        ("message", .word("Lines were dropped, because the log could not be written fast enough.")),
      ], form)
  }
}
