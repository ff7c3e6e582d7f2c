import EaselCore
import EaselWorkers

/// Makes a picture's pixels for everyone who needs the same: decodes, or applies one transformer.
struct Pixels: Sendable {
  let run: Run
  let source: PixelSource
  /// The number of the request's transformers that are applied; 0 only decodes.
  let stepCount: Int
  /// The plan that lets the decoder make a smaller picture for the first transformer.
  let plan: DecodePlan?

  /// Makes the picture after all transformers, or joins a run that makes it already.
  static func image(from source: PixelSource, for run: Run) async throws -> Image {
    try await join(source, stepCount: run.request.steps.count, for: run, keptBy: source.transfer).value
  }

  /// Joins the run that makes the picture after the first `stepCount` transformers, or starts it.
  @inline(never)
  private static func join(
    _ source: PixelSource, stepCount: Int, plan: DecodePlan? = nil, for run: Run,
    keptBy transfer: JoinedRun<Transferred>? = nil, listener: (@Sendable (RunEvent) -> Void)? = nil
  ) -> JoinedRun<Image> {
    let key = PixelsKey(run.request, input: source.input, stepCount: stepCount, plan: plan)
    return run.join(run.manager.pixelRuns, key, keptBy: transfer, listener: listener) {
      [manager = run.manager, request = run.request] shared in
      try await Pixels(
        run: Run(manager: manager, request: request, shared: shared), source: source, stepCount: stepCount, plan: plan
      ).make()
    }
  }

  private func make() async throws -> Image {
    guard stepCount == 0 else { return try await transform(by: run.request.steps[stepCount - 1]) }
    let decoding = Decoding(run: run, plan: plan)
    // First, because thousands wait there for their bytes, and need no room for the rest.
    if case .transfer(let transfer) = source { return try await decoding.image(from: transfer) }
    return try await decoding.image(from: source)
  }

  @inline(never)
  private func transform(by step: any Transformer) async throws -> Image {
    let plan = stepCount == 1 ? DecodePlan(step, run.request) : nil
    let transformer = plan ?? step
    let work = run.newWork()
    let transformsFrames = run.request.options.contains(.transformAnimated)
    let call = PluginCall.transformer(transformer.cacheKey)
    // Its closure must not capture the source: the transfer would then keep itself alive through its listeners.
    let previews = PreviewTransform(
      transformer, movesToo: transformsFrames, run.shared, run.manager.configuration.workers
    ) { [run] in
      let work = run.newWork()
      return (work, run.terms(of: call, work))
    }
    let image = try await Self.join(
      source, stepCount: stepCount - 1, plan: plan, for: run, listener: previews.receive
    ).value
    guard !image.isAnimated || transformsFrames else { return image }
    let started = run.clock.uptime
    do {
      var result = try await run.onWorker(call, work) { try transformer.transformAllFrames(of: image, work: work) }
      result.traits.insert(.transformed)
      run.report(.transformed(key: transformer.cacheKey, run.clock.uptime - started))
      return result
    } catch {
      try Task.checkCancellation()
      throw run.request.failure(ofTransformer: "transformer \(transformer.cacheKey)", error)
    }
  }
}
