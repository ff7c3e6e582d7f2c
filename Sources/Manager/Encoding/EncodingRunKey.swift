import EaselCore

/// Identifies encoded bytes that can be shared.
struct EncodingRunKey: Hashable, Sendable {
  private let pixels: PixelsKey
  private let isFinished: Bool
  private let suffix: KeySuffix

  init(_ request: ResolvedRequest, _ form: EncodedForm, _ source: PixelSource) {
    isFinished = if case .finished = source { true } else { false }
    pixels = PixelsKey(request, input: source.input, stepCount: request.steps.count)
    suffix = form.suffix(mayBeOriginal: request.mayKeepBytes)
  }
}
