import EaselCore

/// The rules of every progressive coder, in addition to those of every coder.
public struct ProgressiveCoderContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// It makes a decoder for at least one of the samples, and returns nil for bytes of another format.
    case makesDecoders
    /// The final picture equals the one decoded in one go, for every division of the bytes.
    case finalEqualsOneShot
    /// There is a preview before the last byte.
    case somethingIsShown
    /// Previews are marked partial and have the size of the final picture.
    case previewsArePartial
    /// Without new bytes there is no new preview.
    case noNewsNoPreview
    /// A truncated body never gives a picture that looks whole.
    case truncationIsNeverHidden
    /// Every error about a damaged body is an `ImageError`.
    case damageIsAnImageError
    /// Bytes after the end of a picture are ignored, except in formats that are text.
    case trailingBytesAreIgnored
    /// Cancelled work ends with `cancelled`.
    case stopsWhenCancelled
    /// The alpha flags of previews and of the final picture are true.
    case alphaIsHonest
    /// A body that is finally in a file gives the same picture.
    case readsFiles
    /// Every call returns.
    case ends
  }

  private let coder: any ProgressiveImageCoder
  private let samples: [ImageSample]

  private let patience: Duration

  /// Tests this coder; `patience` is the longest time that one call may take.
  public init(_ coder: any ProgressiveImageCoder, samples: [ImageSample], patience: Duration = .ofContracts) {
    self.coder = coder
    self.samples = samples
    self.patience = patience
  }

  /// Returns the rules that the coder breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    var previews = 0
    var decoders = 0
    for sample in samples where !sample.bytes.isEmpty {
      let seen = await steps.onThread("Decoding \(sample.name) while it arrives") { checkArrivals(sample, findings) }
      previews += seen?.previews ?? 0
      decoders += seen?.decoders ?? 0
      await steps.onThread("Decoding damaged copies of \(sample.name)") { checkDamage(sample, findings) }
      await steps.onThread("Giving up \(sample.name)") { checkCancellation(sample, findings) }
      await steps.onThread("Decoding \(sample.name) from a file") { checkFile(sample, findings) }
      await steps.onThread("Decoding more than \(sample.name)") { checkTrailingBytes(sample, findings) }
    }
    findings.require(decoders > 0, .makesDecoders, "It made no decoder for any sample.")
    findings.require(decoders == 0 || previews > 0, .somethingIsShown, "There was never a preview.")
    await steps.onThread("Looking at other formats") { checkForeignBytes(findings) }
    return findings.violations
  }

  private func checkForeignBytes(_ findings: Findings<Rule>) {
    let foreign = ImageCoderContract.signatures.filter { !coder.formats.contains($0.0) }
    for (format, prefix) in foreign {
      findings.attempt(.makesDecoders, "Asked for a decoder of bytes of \(format), it") {
        let stranger = try coder.makeDecoder(prefix: prefix, options: DecodeOptions(), work: WorkContext())
        findings.require(stranger == nil, .makesDecoders, "It made a decoder for \(format).")
      }
    }
  }

  private func checkTrailingBytes(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard !sample.isText,
      let whole = try? coder.decode(sample.imageBytes, options: DecodeOptions(), work: WorkContext())
    else { return }
    let longer = ImageBytes(sample.bytes + ImageSample.more)
    findings.attempt(.trailingBytesAreIgnored, "\(sample.name) with bytes after its end") {
      guard let decoder = try makeDecoder(sample, DecodeOptions()) else { return }
      try decoder.update(sample.imageBytes)
      try decoder.update(longer)
      let image = try decoder.finish(longer)
      findings.require(
        image.bitmap == whole.bitmap && image.traits == whole.traits, .trailingBytesAreIgnored,
        "\(sample.name) is another picture with bytes after its end.")
    }
  }

  private func checkArrivals(_ sample: ImageSample, _ findings: Findings<Rule>) -> (previews: Int, decoders: Int) {
    var seen = (previews: 0, decoders: 0)
    for options in Self.options {
      for chunk in [1, 7, 64, max(1, sample.bytes.count / 16), sample.bytes.count] {
        guard let previews = checkArrival(sample, chunk, options, findings) else { continue }
        seen.decoders += 1
        seen.previews += previews
      }
    }
    return seen
  }

  private func checkFile(_ sample: ImageSample, _ findings: Findings<Rule>) {
    guard let whole = try? coder.decode(sample.imageBytes, options: DecodeOptions(), work: WorkContext()) else {
      return
    }
    findings.attempt(.readsFiles, "\(sample.name) in a file") {
      guard let decoder = try makeDecoder(sample, DecodeOptions()) else { return }
      try decoder.update(ImageBytes(Array(sample.bytes.prefix(sample.bytes.count / 2))))
      let image = try SampleFile.with(sample.bytes) { try decoder.finish($0) }
      findings.require(
        image.bitmap == whole.bitmap && image.traits == whole.traits, .readsFiles,
        "\(sample.name) is another picture when it lies in a file at the end.")
    }
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
    try coder.makeDecoder(prefix: Array(sample.bytes.prefix(CoderRegistry.sniffLength)), options: options, work: work)
  }

  /// The number of previews before the last byte; nil without a decoder.
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
        findings.require(
          BitmapSamples.keepsItsAlpha(preview.bitmap), .alphaIsHonest,
          "A preview of \(what) is not \(preview.bitmap.format.alpha) as it says.")
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
      let isWhole =
        image.bitmap == whole.bitmap
        || !image.metadata.notes.isEmpty
          && ImageCoderContract(coder, samples: [sample]).hasSamePixels(
            ImageBytes(Array(sample.bytes.prefix(count))), sample, DecodeOptions())
      findings.require(
        isWhole && !image.traits.contains(.partial), .truncationIsNeverHidden,
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
    defer { findings.noteAnswer() }
    do {
      let work = WorkContext(limits: ImageCoderContract.limitsOfDamage)
      guard let decoder = try makeDecoder(sample, DecodeOptions(), work) else { return nil }
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
    let decode = { (work: WorkContext) in
      guard let decoder = try makeDecoder(sample, DecodeOptions(), work) else {
        return try work.checkCancellation()
      }
      try decoder.update(ImageBytes(Array(sample.bytes.prefix(sample.bytes.count / 2))))
      _ = try decoder.preview()
      try decoder.update(sample.imageBytes)
      _ = try decoder.finish(sample.imageBytes)
    }
    do {
      try decode(WatchingClock(cancellingAtLook: 0).work())
      findings.add(.stopsWhenCancelled, "\(sample.name) was decoded all the same.")
    } catch {
      findings.require(
        WatchingClock.isCancellation(error), .stopsWhenCancelled, "\(sample.name) ended with \(error).")
    }
    let fault = WatchingClock.fault(cancelling: decode)
    findings.require(fault == nil, .stopsWhenCancelled, "The decoding of \(sample.name) \(fault ?? "").")
  }
}
