/// Passes previews through a transformer, one at a time and always the newest; everything else passes as it is.
final class PreviewTransform: Sendable {
  private struct State {
    var newest: Image?
    var isWorking = false
  }

  private let transformer: any Transformer
  private let movesToo: Bool
  private let work: WorkContext
  private let run: SharedRun
  private let workers: WorkerSet
  private let state = Locked(State())

  init(
    _ transformer: any Transformer, movesToo: Bool, _ work: WorkContext, _ run: SharedRun, _ workers: WorkerSet
  ) {
    self.transformer = transformer
    self.movesToo = movesToo
    self.work = work
    self.run = run
    self.workers = workers
  }

  func receive(_ event: RunEvent) {
    guard case .preview(let image) = event, !image.isAnimated || movesToo else { return run.emit(event) }
    let mustStart = state.withLock { state in
      state.newest = image
      defer { state.isWorking = true }
      return !state.isWorking
    }
    if mustStart { workers.start(at: run.priority) { self.transformUntilNothingIsNew() } }
  }

  private func transformUntilNothingIsNew() {
    while let image = next() {
      // A preview that cannot be transformed is not shown; the picture itself will say why.
      guard var result = try? transformer.transformAllFrames(of: image, work: work) else { continue }
      result.traits.formUnion([.partial, .transformed])
      run.emit(.preview(result))
    }
  }

  private func next() -> Image? {
    state.withLock { state in
      defer { state.newest = nil }
      if state.newest == nil { state.isWorking = false }
      return state.newest
    }
  }
}
