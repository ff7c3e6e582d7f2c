import EaselCore
import EaselFormats
import EaselSupport

/// Reserves memory for work that the next gate has let in.
///
/// Places are waited for first, in the order that admission decides. So only work that is about to begin waits for memory,
/// and a picture for which there never is enough does not wait for a place.
struct MemoryGate: WorkGate {
  let memory: WorkMemory
  let metrics: ServiceMetrics
  let formats: FormatCards
  let next: any WorkGate

  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    let footprint = WorkFootprint(work, formats: formats)
    do {
      try memory.check(footprint)
      let leave = try await next.enter(work)
      do {
        let reservation = try await memory.reserve(footprint)
        let running = RunningWork(metrics)
        return { isFinished in
          running.end()
          reservation.giveBack()
          leave(isFinished)
        }
      } catch {
        leave(false)
        throw error
      }
    } catch let refusal as MemoryRefusal {
      metrics.countRejection(.memory)
      throw refusal.imageError
    }
  }
}

/// Work among that which runs, until it ends or is released.
private final class RunningWork: Sendable {
  private let metrics: ServiceMetrics
  private let hasEnded = Locked(false)

  init(_ metrics: ServiceMetrics) {
    self.metrics = metrics
    metrics.enter(.work)
  }

  deinit { end() }

  /// Ends it; further calls do nothing.
  func end() {
    let isFirst = hasEnded.withLock { hasEnded in
      defer { hasEnded = true }
      return !hasEnded
    }
    if isFirst { metrics.leave(.work) }
  }
}

extension ImageService {
  /// Throws if there is too little memory for a request that needs work.
  func checkMemory() throws(ServiceError) {
    do throws(MemoryRefusal) {
      try memory.beginRequest()
    } catch {
      metrics.countRejection(.memory)
      throw ServiceError(503, error.message, retryAfter: Self.secondsToRelief)
    }
  }

  /// The time in which caches and pools usually have given back what they hold.
  private static let secondsToRelief = 2
}
