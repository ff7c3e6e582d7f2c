import EaselCore
import NIOHTTP1
import Synchronization

/// The limits of time of one load.
final class Patience: Sendable {
  private let idle: Duration
  private let total: Duration?
  private let clock: any ImageClock
  private let subject: String
  private let start: Duration
  /// The time since which the server has been silent; nil while it is not its turn.
  private let silentSince: Mutex<Duration?> = Mutex(nil)
  private let firstAnswer: Mutex<Duration?> = Mutex(nil)

  init(_ configuration: HTTPClientLoader.Configuration, _ clock: any ImageClock, subject: String) {
    (idle, total) = (configuration.idleTimeout, configuration.totalTimeout)
    self.clock = clock
    self.subject = subject
    start = clock.uptime
  }

  /// Waits for the client, and turns its errors into those of Easel; the silence of the server counts meanwhile.
  func whileWaiting<Value>(_ work: () async throws -> Value) async throws -> Value {
    let now = clock.uptime
    silentSince.withLock { $0 = now }
    defer { silentSince.withLock { $0 = nil } }
    let value: Value
    do { value = try await work() } catch { throw ImageError.ofClient(error, subject: subject) }
    let answered = clock.uptime
    firstAnswer.withLock { first in
      if first == nil { first = answered - start }
    }
    return value
  }

  /// Suspends until a limit is reached, and returns what happened.
  func end() async throws -> ImageError {
    while true {
      let now = clock.uptime
      if let total, now - start >= total {
        return ImageError(
          .timedOut, "The transfer took longer than \(total). Raise totalTimeout to allow it.", subject: subject)
      }
      let silence = silentSince.withLock { since in since.map { now - $0 } } ?? .zero
      if silence >= idle {
        return ImageError(
          .timedOut, "The server sent nothing for \(idle). Raise idleTimeout to wait longer.", subject: subject)
      }
      try await clock.sleep(for: total.map { min($0 - (now - start), idle - silence) } ?? idle - silence)
    }
  }

  /// The figures of a load that has ended.
  func metrics(_ count: Int, redirects: Int, _ version: HTTPVersion) -> LoadResult.Metrics {
    LoadResult.Metrics(
      firstByte: firstAnswer.withLock { $0 }, total: clock.uptime - start, bytesReceived: count,
      protocolName: version.major == 2 ? "HTTP/2" : "HTTP/\(version.major).\(version.minor)", redirects: redirects)
  }
}
