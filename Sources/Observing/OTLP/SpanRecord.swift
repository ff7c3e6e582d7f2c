import EaselCore
import FoundationEssentials

/// A span that has ended.
struct SpanRecord: Sendable {
  /// The kinds of OpenTelemetry.
  enum Kind: Int, Sendable {
    case `internal` = 1
    case server = 2
    case client = 3
  }

  let name: String
  let kind: Kind
  let context: TraceContext
  /// The span above; nil for the first one of a trace.
  let parent: UInt64?
  /// The span of another load for whose work this one waited.
  let other: TraceContext?
  let start: Date
  let end: Date
  let fields: [(name: String, value: String)]
  /// What went wrong; nil if nothing did.
  let failure: String?
}
