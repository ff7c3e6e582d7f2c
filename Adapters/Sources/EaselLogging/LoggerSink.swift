import EaselCore
import EaselObserving
import Logging

/// Writes the entries of an ``ImageLog`` to a logger.
///
/// Each entry has the metadata of the task that began its load: those of the task's own logger, such as the number of the
/// request, and those of the metadata provider, such as the name of the trace.
public struct LoggerSink: LogSink {
  private let logger: Logger

  /// Takes the logger that writes, with its level and its metadata.
  public init(_ logger: Logger) { self.logger = logger }

  /// True if the logger writes entries of this level.
  public func accepts(_ level: ImageLog.Level) -> Bool { Self.level(level) >= logger.logLevel }

  /// The metadata of the current task.
  public func callerFields() -> [String: String] {
    var metadata = Logger.current.handler.metadata
    if let provided = logger.metadataProvider?.get() { metadata.merge(provided) { _, provided in provided } }
    return metadata.mapValues { "\($0)" }
  }

  /// Writes an entry; its fields become metadata.
  public func write(_ entry: ImageLog.Entry) {
    logger.log(
      level: Self.level(entry.level), "\(entry.message)", metadata: entry.fields.mapValues { .string($0) },
      source: "Easel")
  }

  private static func level(_ level: ImageLog.Level) -> Logger.Level {
    switch level {
    case .debug: .debug
    case .info: .info
    case .warning: .warning
    case .error: .error
    }
  }
}

extension ImageObserver where Self == ImageLog {
  /// Writes about each load to a logger, from the logger's level on.
  ///
  /// ```swift
  /// configuration.addObserver(.log(to: Logger(label: "pictures")))
  /// ```
  public static func log(to logger: Logger) -> Self { ImageLog(to: LoggerSink(logger)) }
}
