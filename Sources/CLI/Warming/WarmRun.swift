import Easel
import EaselSupport

/// The end of a request to fill a cache.
struct WarmAnswer: Sendable {
  var status: Int
  /// The time after which to ask again; nil for an answer that will not change.
  var retryAfter: Duration?
  /// What went wrong; nil if nothing did.
  var failure: ImageError?
}

/// Sends requests at a rate, not more than a few at a time, and those again that the server has turned away.
struct WarmRun: Sendable {
  private let pause: Duration
  private let jobs: Int
  private let clock: any ImageClock
  private let ask: @Sendable (WarmRequest) async -> WarmAnswer

  private static let mostAttempts = 5

  init(rate: Double, jobs: Int, clock: any ImageClock, ask: @escaping @Sendable (WarmRequest) async -> WarmAnswer) {
    (self.pause, self.jobs, self.clock, self.ask) = (.seconds(1) / rate, jobs, clock, ask)
  }

  /// Sends all requests and tells each end; returns the number of those that failed.
  func run(
    _ requests: [WarmRequest], told: @escaping @Sendable (WarmRequest, WarmAnswer) -> Void
  ) async -> Int {
    var failed = 0
    var rest = requests[...]
    var turn = clock.uptime
    await withTaskGroup(of: Bool.self) { group in
      var running = 0
      while let request = rest.popFirst() {
        if running >= jobs, let isGood = await group.next() {
          running -= 1
          if !isGood { failed += 1 }
        }
        // A late answer must not be made up for by many requests at once.
        turn = max(turn, clock.uptime - pause)
        if turn > clock.uptime { try? await clock.sleep(for: turn - clock.uptime) }
        turn += pause
        running += 1
        group.addTask {
          let answer = await answer(to: request)
          told(request, answer)
          return answer.failure == nil
        }
      }
      for await isGood in group where !isGood { failed += 1 }
    }
    return failed
  }

  private func answer(to request: WarmRequest) async -> WarmAnswer {
    var answer = await ask(request)
    for _ in 1..<Self.mostAttempts {
      guard answer.failure != nil, let time = answer.retryAfter else { break }
      guard (try? await clock.sleep(for: time)) != nil else { break }
      answer = await ask(request)
    }
    return answer
  }
}
