import EaselCore
import EaselFormats
import EaselObserving

/// A stage of a request whose time is measured.
package enum RequestStage: String, MetricLabel {
  case total, queue, lookup, download, decode, transform, encode, send
}

/// A stage whose running requests are counted.
package enum RunningStage: String, MetricLabel {
  case total, queue, lookup, download
  /// Decoding, changing and encoding.
  case work
  case send
}

/// The part of the service that a request was for.
package enum ServiceRoute: String, MetricLabel {
  case picture, original, info, health, ready, playground, purge
  /// Everything else: paths that no part of the service knows.
  case other
}

/// A status code that the service sends.
package struct StatusLabel: MetricLabel {
  /// The statuses that have a number of their own.
  private static let known: Set<Int> = [
    200, 202, 204, 206, 301, 302, 304, 307, 308, 400, 403, 404, 405, 408, 410, 413, 414, 415, 422, 429, 431, 499, 500,
    501,
    502, 503, 504, 505, 508,
  ]

  private let status: Int

  package static let allCases: [StatusLabel] = known.sorted().map(StatusLabel.init) + [StatusLabel(0)]

  /// The label of a status; an unknown one is `other`.
  package init(_ status: Int) { self.status = Self.known.contains(status) ? status : 0 }

  package var text: String { status == 0 ? "other" : String(status) }
}

/// A layer of the cache, as in metrics and logs.
package enum CacheLayerLabel: String, MetricLabel {
  case memory, disk, shared
}

/// The result of asking a layer of the cache; an entry that is too old is a hit too.
package enum CacheResult: String, MetricLabel {
  case hit, miss, error
}

/// The part that a request had in work that several may share.
package enum FlightRole: String, MetricLabel {
  /// It started the work.
  case leader
  /// It joined the work.
  case follower
  /// Another machine did the work.
  case remote
}

/// The end of a request's part in shared work.
package enum FlightOutcome: String, MetricLabel {
  case success, failure, cancelled
}

/// The format of a result; the formats of the house come from their cards.
package struct FormatLabel: MetricLabels {
  private let text: String

  /// The labels that need no coder: facts as JSON, and what a plug-in brings.
  package static let all = ["json", "other"].map { FormatLabel(text: $0) }

  package var values: [String] { [text] }

  private init(text: String) { self.text = text }

  /// The labels of the formats of these cards.
  package static func labels(of formats: FormatCards) -> [FormatLabel] {
    formats.all.map { FormatLabel(text: $0.name) } + all
  }

  /// The label of a format.
  package init(_ format: ImageFormat?, _ formats: FormatCards) {
    text = format.flatMap { formats[$0]?.name ?? ($0.mimeType == "application/json" ? "json" : nil) } ?? "other"
  }
}

/// The reason why a request was turned away without work.
package enum RejectionReason: String, MetricLabel {
  case queueFull = "queue_full"
  case tooLate = "too_late"
  case connections
  case connectionsPerAddress = "connections_per_address"
  case memory
  case clientRate = "client_rate"

  package init(_ reason: AdmissionRefusal.Reason) {
    switch reason {
    case .queueFull: self = .queueFull
    case .tooLate: self = .tooLate
    }
  }
}
