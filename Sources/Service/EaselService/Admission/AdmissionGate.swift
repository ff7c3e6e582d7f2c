import EaselCore
import EaselFormats

/// Lets work on pixels begin as admission decides, and measures how long it waited.
struct AdmissionGate: WorkGate {
  let admission: Admission
  let metrics: ServiceMetrics
  /// The time in which work must be done, counted from its arrival.
  let time: Duration
  let clock: any ImageClock
  let formats: FormatCards

  func enter(_ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    let arrival = clock.uptime
    metrics.enter(.queue)
    defer {
      metrics.leave(.queue)
      metrics.record(clock.uptime - arrival, in: .queue)
    }
    do {
      let deadline = min(arrival + time, work.deadline ?? .longest)
      let pass = try await admission.enter(WorkCost(work, formats: formats), for: work.result, deadline: deadline)
      return { pass.leave(isFinished: $0) }
    } catch let refusal as AdmissionRefusal {
      metrics.countRejection(RejectionReason(refusal.reason))
      var refusal = refusal
      refusal.reading = WorkCost(readingOf: work, formats: formats)
      throw refusal.imageError
    }
  }
}

extension WorkCost {
  /// Estimates the cost of what the manager is about to do.
  init(_ work: PixelWork, formats: FormatCards) {
    self.init(
      source: work.header?.format, sourcePixels: work.header?.storedSize.area ?? 0,
      resultPixels: work.resultSize.area, frameCount: work.frameCount, format: work.format, options: work.options,
      effort: work.effort, effortPerFrame: work.header?.effort ?? .zero, formats: formats)
  }

  /// Estimates what work on the source of a piece of work costs at least; nil if it has none.
  init?(readingOf work: PixelWork, formats: FormatCards) {
    guard let header = work.header else { return nil }
    self.init(
      source: header.format, sourcePixels: header.storedSize.area, resultPixels: 0, format: work.format,
      effort: work.effort, formats: formats)
  }
}
