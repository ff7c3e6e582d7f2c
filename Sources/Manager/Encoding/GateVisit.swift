import EaselCore
import EaselWorkers

/// A visit to the manager's work gate, from the permission to begin until the work is over.
struct GateVisit: Sendable {
  private let run: Run
  private let release: @Sendable (_ isFinished: Bool) -> Void

  /// Waits until the gate lets the work begin; returns nil if the manager has no gate.
  ///
  /// It waits for a transfer first: work that still waits for the network must not block other work at the gate.
  static func enter(with source: PixelSource, _ form: ResolvedRecipe, for run: Run) async throws -> GateVisit? {
    guard let gate = run.manager.configuration.workGate else { return nil }
    switch source {
    case .image(let image, _), .firstFrame(let image, _), .finished(let image, _):
      return try await enter(gate, PixelWork(run.request, form, pixelsOf: image), run)
    case .cached(let bytes, _): return try await enter(gate, with: bytes, form, run)
    case .transfer(let transfer):
      switch try await run.value(of: transfer) {
      case .notModified: return nil
      case .image(let image, _, _): return try await enter(gate, PixelWork(run.request, form, pixelsOf: image), run)
      case .body(let body):
        do {
          return try await enter(gate, with: body.bytes, form, run)
        } catch {
          body.releaseRoom()
          throw error
        }
      }
    }
  }

  private static func enter(
    _ gate: any WorkGate, with bytes: ImageBytes, _ form: ResolvedRecipe, _ run: Run
  ) async throws -> GateVisit? {
    let (request, work) = (run.request, run.newWork())
    let pixelWork = try await run.onWorker(.reading, work) { () -> PixelWork? in
      let effort =
        request.coder.capability((any EffortEstimatingCoder).self)?
        .effort(of: bytes, limits: request.limits) ?? .zero
      guard effort <= PixelWork.mostEffortForHeader else { return PixelWork(request, form, effort: effort) }
      // Bytes without a readable header go to the decoder, which explains better what is wrong with them.
      guard let header = try request.checks.header(of: bytes, by: request.coder, work: work) else { return nil }
      var pixelWork = PixelWork(request, form, header: header)
      pixelWork.effort = effort
      return pixelWork
    }
    guard let pixelWork else { return nil }
    return try await enter(gate, pixelWork, run)
  }

  private static func enter(_ gate: any WorkGate, _ work: PixelWork, _ run: Run) async throws -> GateVisit {
    var work = work
    work.deadline = run.shared.wish.deadlineIfAny
    work.result = run.request.resultKey
    let facts = work
    return GateVisit(run: run, release: try await run.shared.asPlugin { try await gate.enter(facts) })
  }

  /// Tells the gate that the work is over, and waits no longer than for other plug-ins.
  ///
  /// This is a separate task, because cancelled work must also leave the gate.
  func leave(isFinished: Bool) async {
    await Task(priority: .medium) {
      try? await run.manager.configuration.readers.run(run.terms(of: .gate, run.newWork())) { release(isFinished) }
    }.value
  }
}
