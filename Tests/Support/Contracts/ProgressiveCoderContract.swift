import EaselCore

/// What every progressive coder must do besides what every coder must.
public struct ProgressiveCoderContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// It makes a decoder for at least one of the samples, and none for bytes of another format.
    case makesDecoders
    /// The picture at the end equals the one decoded at once, however the bytes arrived.
    case finalEqualsOneShot
    /// Something is to be seen before the last byte.
    case somethingIsShown
    /// Previews are marked partial and have the size of the final picture.
    case previewsArePartial
    /// Without new bytes there is no new preview.
    case noNewsNoPreview
    /// A body that ends too early does not pass for whole.
    case truncationIsNeverHidden
    /// Whatever is wrong with a body, the error is an `ImageError`.
    case damageIsAnImageError
    /// Work that nobody wants any more ends with `cancelled`.
    case stopsWhenCancelled
  }

  private let coder: any ProgressiveImageCoder
  private let samples: [ImageSample]

  /// Creates the suite.
  public init(_ coder: any ProgressiveImageCoder, samples: [ImageSample]) {
    self.coder = coder
    self.samples = samples
  }

  /// The rules that the coder breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await Waiting.onThread {
      var previews = 0
      var decoders = 0
      for sample in samples {
        for options in Self.options {
          for chunk in [1, 7, 64, max(1, sample.bytes.count / 16), sample.bytes.count] where !sample.bytes.isEmpty {
            guard let seen = checkArrival(sample, chunk, options, findings) else { continue }
            decoders += 1
            previews += seen
          }
        }
        checkDamage(sample, findings)
        checkCancellation(sample, findings)
      }
      findings.require(decoders > 0, .makesDecoders, "It made no decoder for any sample.")
      findings.require(decoders == 0 || previews > 0, .somethingIsShown, "There was never a preview.")
      let stranger = try? coder.makeDecoder(
        prefix: Array("<!DOCTYPE html>".utf8), options: DecodeOptions(), work: WorkContext())
      findings.require(stranger == nil, .makesDecoders, "It made a decoder for a text.")
    }
    return findings.violations
  }

  private static var options: [DecodeOptions] {
    var thumbnail = DecodeOptions()
    thumbnail.thumbnailSize = PixelSize(width: 4, height: 4)
    var raw = DecodeOptions()
    raw.appliesOrientation = false
    return [DecodeOptions(), thumbnail, raw]
  }

  private func makeDecoder(_ sample: ImageSample, _ options: DecodeOptions, _ work: WorkContext = WorkContext())
    throws -> (any ProgressiveDecoder)?
  {
    try coder.makeDecoder(prefix: Array(sample.bytes.prefix(64)), options: options, work: work)
  }

  /// The number of previews before the last byte, nil where there is no decoder.
  private func checkArrival(
    _ sample: ImageSample, _ chunk: Int, _ options: DecodeOptions, _ findings: Findings<Rule>
  ) -> Int? {
    let what = "\(sample.name) in pieces of \(chunk)"
    return findings.attempt(.finalEqualsOneShot, what) { () throws -> Int? in
      guard let decoder = try makeDecoder(sample, options) else { return nil }
      let expected = try coder.decode(sample.imageBytes, options: options, work: WorkContext())
      var previews = 0
      for end in stride(from: chunk, to: sample.bytes.count, by: chunk) {
        try decoder.update(ImageBytes(Array(sample.bytes.prefix(end))))
        guard let preview = try decoder.preview() else { continue }
        previews += 1
        findings.require(
          preview.traits.contains(.partial) && preview.size == expected.size, .previewsArePartial,
          "A preview of \(what) is \(preview.size)\(preview.traits.contains(.partial) ? "" : " and not marked partial")."
        )
        let again = try decoder.preview()
        findings.require(again == nil, .noNewsNoPreview, "\(what) was shown twice.")
      }
      try decoder.update(sample.imageBytes)
      let final = try decoder.finish(sample.imageBytes)
      findings.require(
        final.bitmap == expected.bitmap && final.traits == expected.traits && final.metadata == expected.metadata
          && final.frames?.count == expected.frames?.count,
        .finalEqualsOneShot, "\(what) gives another picture than at once.")
      return previews
    } ?? nil
  }

  private func checkDamage(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let whole = try? coder.decode(sample.imageBytes, options: DecodeOptions(), work: WorkContext()) else {
      return
    }
    for count in ImageCoderContract.lengths(upTo: sample.bytes.count) {
      let what = "\(count) of \(sample.bytes.count) bytes of \(sample.name)"
      guard let image = finish(sample, Array(sample.bytes.prefix(count)), what, findings) else { continue }
      findings.require(
        image.bitmap == whole.bitmap && !image.traits.contains(.partial), .truncationIsNeverHidden,
        "\(what) are a picture though partial ones are not allowed.")
    }
    var random = SeededRandom(seed: 2)
    for _ in 0..<100 {
      var bytes = sample.bytes
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      _ = finish(sample, bytes, "A damaged copy of \(sample.name)", findings)
    }
  }

  private func finish(
    _ sample: ImageSample, _ bytes: [UInt8], _ what: String, _ findings: Findings<Rule>
  ) -> Image? {
    var limits = Limits()
    limits.framePixels = 4_000_000
    limits.totalPixels = 16_000_000
    do {
      guard let decoder = try makeDecoder(sample, DecodeOptions(), WorkContext(limits: limits)) else { return nil }
      try decoder.update(ImageBytes(Array(bytes.prefix(bytes.count / 2))))
      _ = try decoder.preview()
      try decoder.update(ImageBytes(bytes))
      return try decoder.finish(ImageBytes(bytes))
    } catch {
      findings.require(error is ImageError, .damageIsAnImageError, "\(what) failed with \(error).")
      return nil
    }
  }

  private func checkCancellation(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let cancellation = Cancellation()
    let work = WorkContext(limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    guard let decoder = try? makeDecoder(sample, DecodeOptions(), work) else { return }
    cancellation.cancel()
    do {
      try decoder.update(sample.imageBytes)
      _ = try decoder.finish(sample.imageBytes)
      findings.add(.stopsWhenCancelled, "\(sample.name) was decoded all the same.")
    } catch {
      let isCancellation = (error as? ImageError)?.isCancellation ?? (error is CancellationError)
      findings.require(isCancellation, .stopsWhenCancelled, "\(sample.name) ended with \(error).")
    }
  }
}
