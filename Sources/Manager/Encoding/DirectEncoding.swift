import EaselCore
import EaselWorkers

/// Makes encoded bytes from bytes at hand in one piece of work, on a thread that may be blocked.
///
/// The result is the same as that of `Encoding`, whose steps each wait for a thread.
struct DirectEncoding: Sendable {
  private let request: ResolvedRequest
  private let form: ResolvedRecipe
  private let bytes: ImageBytes

  /// Returns nil if other callers may share the work, if its result may be stored, or if the bytes are not enough.
  init?(_ request: ResolvedRequest) {
    guard let form = request.form, let given = request.bytesAtHand, !request.isCacheable, request.decryptor == nil,
      request.isSafe, !request.options.contains(.fromCacheOnly)
    else { return nil }
    self.request = request
    self.form = form
    bytes = given.bytes
  }

  /// Does the work on the calling thread, and blocks it.
  func make(_ work: WorkContext) throws -> EncodingResult {
    let rules = PassThrough(request)
    if let made = try rules?.result(of: rules?.original(bytes, work: work), work: work) { return made }
    let plan = request.steps.first.flatMap { DecodePlan($0, request) }
    var image = try decoded(plan, work)
    if request.options.contains(.firstFrameOnly) { image = image.withoutFrames }
    for (index, step) in request.steps.enumerated() {
      try work.checkCancellation()
      image = try transformed(image, by: index == 0 ? plan ?? step : step, work)
    }
    return try form.encode(request.fitted(image), for: request, work: work)
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
