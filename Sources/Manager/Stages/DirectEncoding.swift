import EaselCore

/// Makes encoded bytes of bytes at hand in one piece of work, for a caller who shares and stores nothing.
///
/// The result equals that of an `EncodingRun`, whose stages each wait for a thread.
struct DirectEncoding: Sendable {
  private let request: ResolvedRequest
  private let form: EncodedForm
  private let bytes: ImageBytes

  /// Returns nil if the work may be shared or stored, or needs more than the bytes.
  init?(_ request: ResolvedRequest) {
    guard let form = request.form, let given = request.bytesAtHand, !request.isCacheable, request.decryptor == nil,
      request.isSafe, !request.options.contains(.fromCacheOnly)
    else { return nil }
    self.request = request
    self.form = form
    bytes = given.bytes
  }

  /// Does the work on the calling thread, which it blocks.
  func make(
    work: WorkContext, clock: any ImageClock, report: (ImageEvent.Kind) -> Void = { _ in }
  ) throws -> EncodedBytes {
    if let passed = try passed(work) { return passed }
    return try encoded(work, clock, report)
  }

  /// The result of a load with these bytes.
  func picture(of encoded: EncodedBytes, clock: any ImageClock) throws -> EncodedPicture {
    let record = CacheRecord(stored: clock.date, generation: try ContentGeneration.of(bytes))
    return EncodedPicture(encoded, from: .bytes, record, request)
  }

  private func passed(_ work: WorkContext) throws -> EncodedBytes? {
    try PassThrough(request)?.passed(bytes, work: work)
  }

  private func encoded(
    _ work: WorkContext, _ clock: any ImageClock, _ report: (ImageEvent.Kind) -> Void
  ) throws -> EncodedBytes {
    let plan = request.steps.first.flatMap { DecodePlan($0, request) }
    var started = clock.uptime
    func elapsed() -> Duration {
      defer { started = clock.uptime }
      return clock.uptime - started
    }
    var image = try decoded(plan, work)
    report(.decoded(image.size, elapsed()))
    if request.options.contains(.firstFrameOnly) { image = image.withoutFrames }
    for (index, step) in request.steps.enumerated() {
      try work.checkCancellation()
      image = try transformed(image, by: index == 0 ? plan ?? step : step, work)
      report(.transformed(key: step.cacheKey, elapsed()))
    }
    let encoded = try form.encode(request.fitted(image), for: request, work: work)
    report(.encoded(encoded.format, byteCount: encoded.bytes.count, elapsed()))
    return encoded
  }

  private func decoded(_ plan: DecodePlan?, _ work: WorkContext) throws -> Image {
    let image: Image
    do {
      image = try request.checks.decode(bytes, by: request.coder, work: work) {
        plan?.options(for: $0) ?? request.decodeOptions
      }
    } catch {
      throw ImageError.wrapping(
        error, as: .badImageData, "The picture could not be decoded.", subject: request.subject)
    }
    try request.checkCompleteness(of: image)
    try request.checkMotion(of: image)
    return image
  }

  private func transformed(_ image: Image, by step: any Transformer, _ work: WorkContext) throws -> Image {
    do {
      var result = try step.transformAllFrames(of: image, work: work)
      result.traits.insert(.transformed)
      return result
    } catch {
      throw request.failure(ofTransformer: "transformer \(step.cacheKey)", error)
    }
  }
}
