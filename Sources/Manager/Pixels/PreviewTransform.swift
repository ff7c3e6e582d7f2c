import EaselCore
import EaselSupport
import EaselWorkers

/// Transforms previews, one at a time and always the newest.
///
/// All other events pass unchanged.
final class PreviewTransform: Sendable {
  private struct State {
    var newest: Image?
    var isWorking = false
    var hangs = false
  }

  private let transformer: any Transformer
  private let movesToo: Bool
  private let run: SharedRun
  private let workers: WorkerSet
  private let newWork: @Sendable () -> (WorkContext, JobTerms)
  private let locals = CallerTaskLocals()
  private let state = Locked(State())

  /// Creates the transform; `newWork` makes the context and the terms of the work for one preview.
  init(
    _ transformer: any Transformer, movesToo: Bool, _ run: SharedRun, _ workers: WorkerSet,
    newWork: @escaping @Sendable () -> (WorkContext, JobTerms)
  ) {
    self.transformer = transformer
    self.movesToo = movesToo
    self.run = run
    self.workers = workers
    self.newWork = newWork
  }

  func receive(_ event: RunEvent) {
    guard case .preview(let image) = event, !image.isAnimated || movesToo else { return run.emit(event) }
    let mustStart = state.withLock { state in
      guard !state.hangs else { return false }
      state.newest = image
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if mustStart { start() }
  }

  private func start() {
    let (work, terms) = newWork()
    // If the transformer hung once, it gets no further thread.
    workers.start(at: run.priority, terms, onFailure: { _ in self.state.withLock { $0.hangs = true } }) {
      self.locals.run { self.transformNewest(work) }
    }
  }

  private func transformNewest(_ work: WorkContext) {
    guard let image = next() else { return }
    // A preview that cannot be transformed is skipped; the final picture reports the error.
    if var result = try? transformer.transformAllFrames(of: image, work: work), !state.withLock({ $0.hangs }) {
      result.traits.formUnion([.partial, .transformed])
      run.emit(.preview(result))
    }
    let hasNewer = state.withLock { state in
      state.isWorking = state.newest != nil && !state.hangs
      return state.isWorking
    }
    if hasNewer { start() }
  }

  private func next() -> Image? {
    state.withLock { state in
      defer { state.newest = nil }
      return state.newest
    }
  }
}
