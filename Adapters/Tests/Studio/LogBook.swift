import Logging
import Synchronization

/// Keeps what is logged.
public final class LogBook: Sendable {
  /// One entry with all that was logged at once.
  public struct Entry: Sendable {
    /// The level.
    public let level: Logger.Level
    /// The message.
    public let message: String
    /// The metadata as text.
    public let metadata: [String: String]
  }

  private let kept = Mutex<[Entry]>([])

  /// Begins empty.
  public init() {}

  /// All entries, in order.
  public var entries: [Entry] { kept.withLock { $0 } }

  /// A logger that writes into the book.
  public func logger(_ level: Logger.Level, provider: Logger.MetadataProvider? = nil) -> Logger {
    Logger(label: "test") { _ in Handler(book: self, logLevel: level, metadataProvider: provider) }
  }

  fileprivate func add(_ entry: Entry) { kept.withLock { $0.append(entry) } }
}

private struct Handler: LogHandler {
  let book: LogBook
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    book.add(
      .init(
        level: event.level, message: "\(event.message)",
        metadata: (event.metadata ?? [:]).mapValues { "\($0)" }))
  }
}
