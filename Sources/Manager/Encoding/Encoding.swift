import EaselCore
import EaselWorkers

/// Makes encoded bytes for all callers who need the same ones: passes the original on unchanged or repacked if it
/// satisfies the request, or else encodes the pixels.
struct Encoding: Sendable {
  let run: Run
  let form: ResolvedRecipe
  let source: PixelSource

  private var request: ResolvedRequest { run.request }

  /// Makes the bytes from `source`, or joins a run that is making them.
  @inline(never)
  static func bytes(from source: PixelSource, for run: Run) async throws -> EncodingResult {
    // A load whose recipe is invalid has failed earlier.
    guard let form = run.request.form else { preconditionFailure("The request is for a picture.") }
    return try await run.join(run.manager.encodingRuns, EncodingRunKey(run.request, form, source)) {
      [manager = run.manager, request = run.request] shared in
      try await Encoding(
        run: Run(manager: manager, request: request, shared: shared), form: form, source: source
      ).make()
    }.value
  }

  private func make() async throws -> EncodingResult {
    let passing = PassThrough(request).map { Passing(run: run, rules: $0) }
    let original = try await passing?.original(of: source)
    if case .wanted(let passed) = original { return passed }
    let visit = try await GateVisit.enter(with: source, form, for: run)
    do {
      var made = try await passing?.repacked(original)
      if made == nil { made = try await encode(pixels()) }
      await visit?.leave(isFinished: true)
      return made!
    } catch {
      await visit?.leave(isFinished: false)
      throw error
    }
  }

  /// The pixels to encode.
  ///
  /// If only the first frame of a moving picture is encoded, these are the pixels of that frame after the transformers.
  private func pixels() async throws -> Image {
    let image = try await Pixels.image(from: source, for: run)
    try request.checkMotion(of: image)
    guard request.transformsFirstFrame(of: image) else { return request.fitted(image) }
    return try await Pixels.image(from: .firstFrame(image.withoutFrames, generation: generation()), for: run)
  }

  /// The generation of the original.
  private func generation() async throws -> UInt64 {
    switch source {
    case .image(_, let generation), .firstFrame(_, let generation), .finished(_, let generation): return generation
    case .cached(_, let record): return record.generation
    case .transfer(let transfer):
      switch try await run.value(of: transfer) {
      case .body(let body): return body.record.generation
      case .image(_, let generation, _): return generation
      case .notModified: return ContentGeneration.ofNothing
      }
    }
  }

  private func encode(_ image: Image) async throws -> EncodingResult {
    let work = run.newWork()
    let started = run.clock.uptime
    let encoded = try await run.onWorker(.encoder, work) { try form.encode(image, for: request, work: work) }
    run.report(.encoded(encoded.format, byteCount: encoded.bytes.count, run.clock.uptime - started))
    return encoded
  }
}
