import EaselCore

/// What every coder must do, seen on files that it must be able to decode.
public struct ImageCoderContract: Sendable {
  /// The rules.
  public enum Rule: String, CaseIterable, Sendable {
    /// It has a name and names its formats.
    case namesItself
    /// It knows the files of its own formats.
    case knowsItsFiles
    /// It looks for the whole signature and takes no other format.
    case needsTheFullSignature
    /// The header says what the decoded picture then is.
    case headerMatchesPicture
    /// The same bytes give the same pixels, and the ones that were expected.
    case pixelsAreRight
    /// A truncated file is an error, or partial and marked so where that is allowed, and never passes for whole.
    case truncationIsNeverHidden
    /// Whatever is wrong with a file, the error is an `ImageError`.
    case damageIsAnImageError
    /// Bytes after the end of a picture are ignored.
    case trailingBytesAreIgnored
    /// What is over a limit is refused.
    case limitsHold
    /// Thumbnails and scaled-down pictures have the size of the rules, never a larger one, and say what they are.
    case sizesFollowTheRules
    /// Pixels are set upright once, or not at all where the caller says so.
    case orientationIsAppliedOnce
    /// Work that nobody wants any more ends with `cancelled`.
    case stopsWhenCancelled
    /// A moving picture has the frames that its header says, and they keep their contract.
    case framesAreReachable
    /// What it encodes it decodes again, with the same size and frames.
    case encodedDecodesAgain
    /// Pictures of every pixel format can be encoded.
    case encodesEveryPixelFormat
    /// The size limit of an encoded picture holds.
    case encodedSizeIsBounded
    /// A format that it does not write is refused with `encodeFailed`.
    case refusesOtherFormats
  }

  let coder: any ImageCoder
  let samples: [ImageSample]

  /// Creates the suite; among the samples there should be a still, a moving and a turned picture.
  public init(_ coder: any ImageCoder, samples: [ImageSample]) {
    self.coder = coder
    self.samples = samples
  }

  /// The rules that the coder breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    await Waiting.onThread {
      checkName(findings)
      for sample in samples {
        checkSignature(sample, findings)
        checkPicture(sample, findings)
        checkSizes(sample, findings)
        checkOrientation(sample, findings)
        checkLimits(sample, findings)
        checkDamage(sample, findings)
        checkCancellation(sample, findings)
        checkEncoding(sample, findings)
      }
      checkPixelFormats(findings)
    }
    for sample in samples { await checkFrames(sample, findings) }
    return findings.violations
  }

  func decode(_ bytes: ImageBytes, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext())
  }

  private func checkName(_ findings: Findings<Rule>) {
    findings.require(!coder.identifier.isEmpty, .namesItself, "The identifier is empty.")
    findings.require(!coder.formats.isEmpty, .namesItself, "It names no format.")
  }

  private func checkSignature(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let prefix = Array(sample.bytes.prefix(64))
    findings.require(coder.canDecode(prefix: prefix), .knowsItsFiles, "It does not know \(sample.name).")
    let shortest = (0...prefix.count).first { coder.canDecode(prefix: Array(prefix.prefix($0))) } ?? prefix.count
    findings.require(shortest >= 3, .needsTheFullSignature, "\(shortest) bytes are enough for it.")
    for index in 0..<min(3, prefix.count) {
      var other = prefix
      other[index] ^= 0x55
      findings.require(
        !coder.canDecode(prefix: other), .needsTheFullSignature, "It takes a file with another byte \(index).")
    }
    for (format, signature) in Self.signatures where !coder.formats.contains(format) {
      findings.require(!coder.canDecode(prefix: signature), .needsTheFullSignature, "It takes \(format) for its own.")
    }
  }

  private static let signatures: [(ImageFormat, [UInt8])] = [
    (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    (.jpeg, [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]), (.gif, Array("GIF89a\u{1}\u{0}".utf8)),
    (.webp, Array("RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8L".utf8)),
    (ImageFormat(mimeType: "audio/wav"), Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVEfmt ".utf8)),
    (ImageFormat(mimeType: "text/html"), Array("<!DOCTYPE html><html>".utf8)),
  ]

  private func checkPicture(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let header = findings.attempt(.headerMatchesPicture, "Reading the header of \(sample.name)") {
      try coder.probe(sample.imageBytes, work: WorkContext())
    }
    let image = findings.attempt(.pixelsAreRight, "Decoding \(sample.name)") { try decode(sample.imageBytes) }
    guard let header, let image else { return }
    let frameCount = image.frames?.count ?? 1
    findings.require(
      image.size == header.uprightSize && image.metadata.storedSize == header.storedSize
        && frameCount == header.frameCount && image.format == header.format
        && coder.formats.contains(header.format),
      .headerMatchesPicture,
      "\(sample.name) should be \(header.frameCount) frames of \(header.uprightSize) and is \(frameCount) of \(image.size)."
    )
    findings.require(
      header.hasAlpha || image.bitmap.format.alpha == .opaque, .headerMatchesPicture,
      "\(sample.name) should have no alpha and is \(image.bitmap.format.alpha).")
    findings.require(
      !image.traits.contains(.partial), .truncationIsNeverHidden, "\(sample.name) is whole and marked partial.")
    if let pixels = sample.pixels {
      findings.require(image.bitmap == pixels, .pixelsAreRight, "\(sample.name) has other pixels.")
    }
    let again = try? decode(sample.imageBytes).bitmap
    findings.require(again == image.bitmap, .pixelsAreRight, "\(sample.name) has other pixels the second time.")
    let longer = try? decode(ImageBytes(sample.bytes + [0, 255, 17, 0x50, 0x4b, 3, 4]))
    findings.require(
      longer?.bitmap == image.bitmap && longer?.traits == image.traits, .trailingBytesAreIgnored,
      "\(sample.name) is another picture with bytes after its end.")
  }

  private func checkCancellation(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let cancellation = Cancellation()
    cancellation.cancel()
    let work = WorkContext(
      limits: Limits(), context: ImageContext(), cancellation: cancellation, clock: SystemClock())
    do {
      _ = try coder.decode(sample.imageBytes, options: DecodeOptions(), work: work)
      findings.add(.stopsWhenCancelled, "\(sample.name) was decoded all the same.")
    } catch {
      let isCancellation = (error as? ImageError)?.isCancellation ?? (error is CancellationError)
      findings.require(isCancellation, .stopsWhenCancelled, "\(sample.name) ended with \(error).")
    }
  }

  private func checkFrames(_ sample: ImageSample, _ findings: Findings<Rule>) async {
    guard let image = try? decode(sample.imageBytes), let frames = image.frames else { return }
    let violations = await FrameSourceContract(frames).check()
    for violation in violations { findings.add(.framesAreReachable, "\(sample.name): \(violation)") }
    let (header, first) = await Waiting.onThread {
      (try? coder.probe(sample.imageBytes, work: WorkContext()), try? frames.frame(at: 0))
    }
    findings.require(
      frames.canvasSize == image.size && first == image.bitmap, .framesAreReachable,
      "The picture of \(sample.name) is not its first frame.")
    findings.require(
      frames.loopCount == header?.loopCount, .framesAreReachable,
      "\(sample.name) plays \(frames.loopCount) times and its header says otherwise.")
  }
}
