import EaselCore

/// The rules of every coder, checked with files that it must decode.
///
/// What a coder can do besides, such as encoding, is checked if it adopts the protocol for it.
///
/// ```swift
/// let violations = await ImageCoderContract(PNGCoder(), encodes: [.png]).check()
/// print(violations.map(\.message))
/// ```
public struct ImageCoderContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// The coder has a constant identifier that no coder of Easel uses, and lists the formats that it decodes.
    ///
    /// A coder that only encodes lists none.
    case namesItself
    /// It recognizes the files of its own formats.
    case knowsItsFiles
    /// It checks the whole signature, which the samples state, and accepts no other format.
    case needsTheFullSignature
    /// The header agrees with the decoded picture.
    case headerMatchesPicture
    /// An `EncodingCoder` encodes a format, and a `FileNamingCoder` gives extensions in lower case, without a dot.
    case doesWhatItAdopts
    /// The size that a `SizeReadingCoder` reads alone is that in the header.
    case sizeMatchesHeader
    /// The same bytes always give the same, expected pixels.
    case pixelsAreRight
    /// A truncated file gives an error or, where allowed, a picture marked partial; it never looks whole.
    case truncationIsNeverHidden
    /// Every error about a damaged file is an `ImageError`.
    case damageIsAnImageError
    /// Bytes after the end of a picture are ignored, except in formats that are text.
    case trailingBytesAreIgnored
    /// A picture that exceeds a limit is refused.
    case limitsHold
    /// Thumbnails and scaled-down pictures have the size of the rules, are never larger, and are marked as such.
    case sizesFollowTheRules
    /// Pixels are turned upright exactly once, or never if the caller says so.
    case orientationIsAppliedOnce
    /// The alpha flags of pictures, partial pictures and frames are true.
    case alphaIsHonest
    /// Metadata that exceeds the limit is refused or left out.
    case metadataIsBounded
    /// If a smaller size suffices, the picture keeps its ratio and has at least that size, but never more than the full
    /// one.
    case leastSizeSuffices
    /// A file on disk is decoded like one in memory.
    case readsFiles
    /// Cancelled work ends with `cancelled`.
    case stopsWhenCancelled
    /// Work cancelled in the middle ends with `cancelled`; large work checks for cancellation more than once.
    case stopsInTheMiddle
    /// A moving picture has as many frames as its header states, and its frame source keeps its own contract.
    case framesAreReachable
    /// Encoded pictures decode to the same size and number of frames.
    case encodedDecodesAgain
    /// For each format that an `EncodingCoder` accepts, encoded bytes are a file of that format.
    case encodedIsOfItsFormat
    /// Pictures of every pixel format can be encoded.
    case encodesEveryPixelFormat
    /// The limit of the size of an encoded picture holds.
    case encodedSizeIsBounded
    /// An encoded file obeys its limit of bytes, or is refused with `encodeFailed`.
    case fileSizeIsBounded
    /// EXIF and XMP are written only when requested.
    case leavesMetadataOut
    /// Effective options give the same file as the options they were made of.
    case effectiveOptionsWriteTheSameFile
    /// A file that claims to have no metadata has none, not even after its end, and is whole.
    case metadataAreNeverOverlooked
    /// Senseless options, such as a quality that is negative or not a number, are refused with `encodeFailed` or
    /// corrected, and break nothing.
    case takesAnyOptions
    /// Pictures decoded at the same time do not affect each other.
    case isSafeForManyThreads
    /// Encoding to an unsupported format fails with `encodeFailed`.
    case refusesOtherFormats
    /// Every call returns.
    case ends
  }

  let coder: any ImageCoder
  /// The coder as one that encodes; nil if it only decodes.
  let encoder: (any EncodingCoder)?
  /// The coder as one that counts metadata; nil if it cannot.
  let counter: (any MetadataCountingCoder)?
  let samples: [ImageSample]
  /// Reads the files of formats that the coder only encodes.
  let reader: (any ImageCoder)?
  private let encodes: [ImageFormat]

  private let patience: Duration

  /// Tests this coder; `patience` is the longest time that one call may take.
  ///
  /// The samples should include a still, a moving and a turned picture and one with metadata. A coder that cannot
  /// encode also needs one of 512x512 pixels or more.
  public init(_ coder: any ImageCoder, samples: [ImageSample], patience: Duration = .ofContracts) {
    self.init(coder, samples: samples, encodes: [], patience: patience)
  }

  /// Creates the suite for a coder that encodes formats which it does not decode; one that only encodes needs no samples.
  ///
  /// `encodes` names such formats. Those that the coder decodes and the usual ones are tried anyway. `reader` reads the
  /// files of formats that the coder does not decode.
  public init(
    _ coder: any ImageCoder, samples: [ImageSample] = [], encodes: [ImageFormat], reader: (any ImageCoder)? = nil,
    patience: Duration = .ofContracts
  ) {
    self.coder = coder
    encoder = coder.capability((any EncodingCoder).self)
    counter = coder.capability((any MetadataCountingCoder).self)
    self.samples = samples
    self.encodes = encodes
    self.reader = reader
    self.patience = patience
  }

  /// The formats that the coder encodes, as far as they are known.
  var writable: [ImageFormat] {
    guard let encoder else { return [] }
    var seen: Set<ImageFormat> = []
    return (coder.formats + encodes + Self.signatures.map(\.0)).filter {
      seen.insert($0).inserted && encoder.canEncode($0)
    }
  }

  /// Returns the rules that the coder breaks.
  public func check() async -> [ContractViolation] {
    let findings = Findings<Rule>()
    let steps = Steps(findings, .ends, patience: patience)
    await steps.onThread("Naming itself") { checkName(findings) }
    await steps.onThread("Telling what it can do") { checkAdopted(findings) }
    for sample in samples {
      for (name, check) in checks { await steps.onThread("\(name) \(sample.name)") { check(sample, findings) } }
      await steps.run("Playing \(sample.name)") { await checkFrames(sample, findings) }
    }
    await steps.run("Decoding on many threads") { await checkThreads(findings) }
    await steps.onThread("Writing each format") { checkFormats(findings) }
    await steps.onThread("Writing pictures of every pixel format") { checkPixelFormats(findings) }
    await steps.onThread("Writing with options that no one means") { checkStrangeOptions(findings) }
    await steps.onThread("Giving up large pictures") { checkLargeWork(findings) }
    return findings.violations
  }

  private var checks: [(String, @Sendable (ImageSample, Findings<Rule>) -> Void)] {
    [
      ("Reading the signature of", checkSignature), ("Decoding", checkPicture), ("Decoding smaller", checkSizes),
      ("Decoding as small as suffices", checkLeastSize), ("Turning", checkOrientation), ("Limiting", checkLimits),
      ("Limiting the metadata of", checkMetadata), ("Decoding damaged copies of", checkDamage),
      ("Looking at the alpha of", checkAlpha), ("Decoding from a file", checkFile), ("Giving up", checkCancellation),
      ("Counting the metadata of", checkCountedMetadata), ("Varying the options of", checkEffectiveOptions),
      ("Writing", checkEncoding), ("Giving up writing", checkEncodingCancellation),
    ]
  }

  func decode(_ bytes: ImageBytes, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
    try coder.decode(bytes, options: options, work: WorkContext())
  }

  /// Encodes with the coder, if it can.
  func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard let encoder else { throw ImageError(.encodeFailed, "The coder \(coder.identifier) only decodes.") }
    return try encoder.encode(image, as: format, options: options, work: work)
  }

  private func checkName(_ findings: Findings<Rule>) {
    let name = coder.identifier
    findings.require(!name.isEmpty, .namesItself, "The identifier is empty.")
    findings.require(coder.identifier == name, .namesItself, "The identifier \(name) is another one the second time.")
    findings.require(
      name.utf8.allSatisfy { $0 > 32 && $0 != 127 }, .namesItself,
      "The identifier \(name.debugDescription) has blanks or control bytes.")
    if let owner = Self.owners[name] {
      findings.require(
        String(reflecting: type(of: coder)) == owner, .namesItself,
        "The identifier \(name) is that of \(owner): pictures of both would have the same keys.")
    }
    findings.require(
      !coder.formats.isEmpty || samples.isEmpty && !writable.isEmpty, .namesItself, "It names no format.")
  }

  /// The coders of Easel, by identifier.
  private static let owners = [
    "png": "EaselPNG.PNGCoder", "jpeg": "EaselJPEG.JPEGCoder", "gif": "EaselGIF.GIFCoder",
    "webp": "EaselWebP.WebPCoder", "qoi": "EaselBasic.QOICoder", "pnm": "EaselBasic.PNMCoder",
    "bmp": "EaselBasic.BMPCoder", "ico": "EaselBasic.ICOCoder", "radiance": "EaselBasic.RadianceCoder",
    "avif": "EaselAVIF.AVIFCoder",
    "jxl": "EaselJXL.JXLCoder", "jpeg2000": "EaselJPEG2000.JPEG2000Coder",
    "tiff": "EaselTIFF.TIFFCoder",
    "heif": "EaselHEIF.HEIFCoder", "svg": "EaselSVG.SVGCoder",
    "registry": "EaselCore.CoderRegistry",
  ]

  private func checkSignature(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let prefix = Array(sample.bytes.prefix(CoderRegistry.sniffLength))
    findings.require(coder.canDecode(prefix: prefix), .knowsItsFiles, "It does not know \(sample.name).")
    let shortest = (0...prefix.count).first { coder.canDecode(prefix: Array(prefix.prefix($0))) } ?? prefix.count
    let end = max(3, sample.signature.map(\.upperBound).max() ?? 0)
    findings.require(
      shortest >= min(end, prefix.count), .needsTheFullSignature,
      "\(shortest) bytes of \(sample.name) are enough for it, and its signature ends after \(end).")
    for index in sample.signature.joined() where index < prefix.count {
      var other = prefix
      other[index] ^= 0x55
      findings.require(
        !coder.canDecode(prefix: other), .needsTheFullSignature,
        "It takes \(sample.name) with another byte \(index), which is in its signature.")
    }
    for (format, signature) in Self.signatures where !coder.formats.contains(format) {
      findings.require(!coder.canDecode(prefix: signature), .needsTheFullSignature, "It takes \(format) for its own.")
    }
  }

  /// The beginnings of files of the usual formats.
  static let signatures: [(ImageFormat, [UInt8])] = [
    (.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    (.jpeg, [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46]), (.gif, Array("GIF89a\u{1}\u{0}".utf8)),
    (.webp, Array("RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8L".utf8)),
    (ImageFormat(mimeType: "image/qoi"), Array("qoif\0\0\0\u{5}\0\0\0\u{3}\u{4}\0".utf8)),
    (ImageFormat(mimeType: "image/x-portable-anymap"), Array("P6\n1 1\n255\n...".utf8)),
    (
      ImageFormat(mimeType: "image/bmp"),
      Array("BM".utf8) + [90, 0, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 12, 0, 0, 0, 1, 0, 1, 0, 1, 0, 24, 0, 0, 0, 0, 0]
    ),
    (
      ImageFormat(mimeType: "image/vnd.microsoft.icon"),
      [0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 40, 0, 0, 0, 22, 0, 0, 0, 40, 0, 0, 0]
    ),
    (.avif, [0, 0, 0, 24] + Array("ftypavif\0\0\0\0avifmif1".utf8)),
    (.jxl, [0xff, 0x0a, 0x08, 0x10, 0x10, 0x09, 0x08, 0x06]),
    (ImageFormat(mimeType: "image/tiff"), Array("II*\0\u{8}\0\0\0".utf8)),
    (ImageFormat(mimeType: "video/mp4"), [0, 0, 0, 24] + Array("ftypisom\0\0\0\0isommp41".utf8)),
    (.heic, [0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8)),
    (ImageFormat(mimeType: "audio/wav"), Array("RIFF\u{10}\u{0}\u{0}\u{0}WAVEfmt ".utf8)),
    (ImageFormat(mimeType: "image/svg+xml"), Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)),
    (ImageFormat(mimeType: "text/html"), Array("<!DOCTYPE html><html>".utf8)),
  ]

  private func checkPicture(_ sample: ImageSample, _ findings: Findings<Rule>) {
    let header = findings.attempt(.headerMatchesPicture, "Reading the header of \(sample.name)") {
      try coder.probe(sample.imageBytes, work: WorkContext())
    }
    let image = findings.attempt(.pixelsAreRight, "Decoding \(sample.name)") { try decode(sample.imageBytes) }
    let size = findings.attempt(.sizeMatchesHeader, "Reading the size of \(sample.name)") {
      try coder.capability((any SizeReadingCoder).self)?.storedSize(of: sample.imageBytes, work: WorkContext())
    }
    if let header, let size = size ?? nil {
      findings.require(
        size == header.storedSize, .sizeMatchesHeader,
        "\(sample.name) is \(header.storedSize) by its header and \(size) when only the size is read.")
    }
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
    guard !sample.isText else { return }
    let longer = try? decode(ImageBytes(sample.bytes + ImageSample.more))
    findings.require(
      longer?.bitmap == image.bitmap && longer?.traits == image.traits, .trailingBytesAreIgnored,
      "\(sample.name) is another picture with bytes after its end.")
  }

  private func checkThreads(_ findings: Findings<Rule>) async {
    let alone = await Waiting.onThread { samples.map { try? decode($0.imageBytes).bitmap } }
    await Waiting.onThreads(4) { thread in
      for step in samples.indices {
        let index = (step + thread) % samples.count
        let bitmap = try? decode(samples[index].imageBytes).bitmap
        findings.require(
          bitmap == alone[index], .isSafeForManyThreads,
          "\(samples[index].name) is another picture beside others that are decoded.")
      }
    }
  }

  private func checkFrames(_ sample: ImageSample, _ findings: Findings<Rule>) async {
    guard let image = try? decode(sample.imageBytes), let frames = image.frames else { return }
    let violations = await FrameSourceContract(frames, patience: patience).check()
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
