import EaselCore

/// The rules of a format, in addition to those of every coder: its files keep what the format's description promises.
///
/// Each rule can be checked by itself, so that a test names the one that is broken.
///
/// ```swift
/// let contract = FormatContract(PNGCoder(), FormatDescription("PNG", .png))
/// for rule in contract.rules { print(rule, await contract.check(rule)) }
/// ```
public struct FormatContract: Sendable {
  /// A rule of the contract.
  public enum Rule: String, CaseIterable, Sendable {
    /// Without loss, pixels of the formats that are promised come back as they are.
    case pixelsComeBack
    /// Without loss, pixels of other formats come back as the same colours.
    case colorsComeBack
    /// Without loss, the colours of pixels that cannot be seen come back.
    case hiddenColorsComeBack
    /// A picture of a quality is as similar as is promised, and a lower quality takes fewer bytes.
    case qualityIsKept
    /// Equal pictures become equal files.
    case equalPicturesAreEqualFiles
    /// The orientation that pixels still have is written, also into EXIF, and is applied when the picture is read.
    case orientationComesBack
    /// The orientation in EXIF has no effect in a format that keeps it elsewhere.
    case orientationOfEXIFIsIgnored
    /// EXIF, XMP and density come back if they are to be kept, and are left out otherwise.
    case metadataComeBack
    /// Damaged EXIF is left out, and the picture is shown.
    case damagedEXIFHidesNothing
    /// A colour profile of any bytes comes back, and is no metadata.
    case profileComesBack
    /// Colours are converted from their profile to sRGB, or left with it.
    case profileIsUsed
    /// A profile for grey is kept for grey alone, and colours are converted.
    case grayProfileFitsThePixels
    /// Colours with a profile become those of sRGB in a format that holds none.
    case profileBecomesSRGB
    /// Codings of colours come back, and a picture of high range has eight bits unless more are wanted.
    case codingComesBack
    /// A thumbnail is that of all pixels.
    case thumbnailShowsAllPixels
    /// A large picture is made as small as suffices.
    case largePictureIsMadeSmall
    /// A limit of the bytes of a file lowers the quality, and then the size.
    case fileFitsItsLimit
    /// The limits of a frame bind pictures that are written.
    case limitsBindWriting
    /// A side that is longer than a file can state is refused, and one that is not is written.
    case sidesAreBounded
    /// The beginning of a file states its size, and anything less is an error.
    case beginningStatesTheSize
    /// Frames come back in every order, with their delays and plays.
    case framesComeBack
    /// Frames that are equal are all written.
    case equalFramesKeepTheirCount
    /// The first frame is read alone, and written alone.
    case firstFrameStandsAlone
    /// Frames of other formats of pixels come back as the same colours.
    case otherFramesComeBack
    /// Frames that cannot be are refused.
    case impossibleFramesAreRefused
    /// Delays and plays beyond what a file can state are the most that it can.
    case mostPlaysAndDelaysAreWritten
    /// Delays between two milliseconds keep their sum.
    case delaysKeepTheirSum
    /// Moving pictures keep XMP and an orientation.
    case framesKeepMetadata
    /// Frames are made smaller as the picture is.
    case framesAreMadeSmall
    /// Every frame stands upright, at once, in pieces, in full and smaller.
    case framesStandUpright
    /// The limits of frames bind pictures that are played, and those alone.
    case limitsBindFrames
    /// The frames that have arrived can be played.
    case arrivedFramesPlay
    /// A picture stands upright, at once, in pieces, in full and smaller.
    case picturesStandUpright
    /// The rows that have arrived are shown, and those of a file that is cut.
    case arrivedRowsAreShown
    /// A file that is cut anywhere never passes for whole.
    case cutsAreNoticed
    /// A wrong byte anywhere does no harm.
    case wrongBytesDoNoHarm
    /// Bytes without a picture are an error that names the format.
    case noPictureIsAnError
    /// The limits bind pictures that are read, with errors that name the format.
    case limitsBindReading
    /// A file of many blocks ends early, also while it arrives.
    case manyBlocksEndEarly
    /// A plain file has no metadata, and bytes after its end are some.
    case plainFilesHaveNoMetadata
    /// The blocks of metadata are counted if there are not too many of them and the file is whole.
    case blocksAreCounted
    /// Every call returns.
    case ends
  }

  let coder: any ImageCoder
  /// The coder as one that encodes, as one that counts metadata, as one that reads the size alone, and as one that
  /// decodes what has arrived; nil if it does not.
  let encoder: (any EncodingCoder)?
  let counter: (any MetadataCountingCoder)?
  let sizeReader: (any SizeReadingCoder)?
  let progressive: (any ProgressiveImageCoder)?
  let format: FormatDescription
  private let patience: Duration

  /// Creates the suite of a coder and one of its formats.
  public init(_ coder: any ImageCoder, _ format: FormatDescription, patience: Duration = .ofContracts) {
    self.coder = coder
    encoder = coder.capability((any EncodingCoder).self).flatMap { $0.canEncode(format.format) ? $0 : nil }
    counter = coder.capability((any MetadataCountingCoder).self)
    sizeReader = coder.capability((any SizeReadingCoder).self)
    progressive = coder.capability((any ProgressiveImageCoder).self)
    self.format = format
    self.patience = patience
  }

  /// The rules about what the format promises.
  public var rules: [Rule] { checks.filter(\.applies).map(\.rule) }

  /// Returns how the coder breaks a rule.
  public func check(_ rule: Rule) async -> [ContractViolation] {
    let findings = Findings<Rule>()
    guard let check = checks.first(where: { $0.rule == rule && $0.applies })?.check else { return [] }
    let note = FormatFindings(name: format.name, rule: rule, findings: findings)
    await Steps(findings, .ends, patience: patience).onThread("\(format.name): \(rule)") {
      findings.attempt(rule, "\(format.name)") { try check(note) }
    }
    return findings.violations
  }

  /// Returns the rules that the coder breaks.
  public func check() async -> [ContractViolation] {
    var violations: [ContractViolation] = []
    for rule in rules { violations += await check(rule) }
    return violations
  }

  private typealias Check = (rule: Rule, applies: Bool, check: @Sendable (FormatFindings) throws -> Void)

  private var checks: [Check] { pixelChecks + metadataChecks + sizeChecks + frameChecks + readingChecks }

  private var pixelChecks: [Check] {
    let (writes, keeps) = (encoder != nil, format.keeps)
    return [
      (.pixelsComeBack, isExact, checkPixels), (.colorsComeBack, isExact, checkColors),
      (.hiddenColorsComeBack, isExact && keeps.contains(.hiddenColors), checkHiddenColors),
      (.qualityIsKept, writes && !format.decibels.isEmpty, checkQuality),
      (.equalPicturesAreEqualFiles, writes, checkEqualFiles),
      (.profileIsUsed, isExact && keeps.contains(.profile), checkProfileUse),
      (.grayProfileFitsThePixels, writes && !keeps.isDisjoint(with: [.grayProfile, .noGrayProfile]), checkGrayProfile),
      (.profileBecomesSRGB, writes && keeps.contains(.noProfile), checkMissingProfile),
      (.codingComesBack, isExact && !format.codings.isEmpty, checkCodings),
    ]
  }

  private var metadataChecks: [Check] {
    let (writes, keeps) = (encoder != nil, format.keeps)
    return [
      (.orientationComesBack, writes && keeps.contains(.orientation), checkOrientation),
      (
        .orientationOfEXIFIsIgnored, isExact && keeps.isSuperset(of: [.orientationOutsideEXIF, .exif]),
        checkOrientationOfEXIF
      ), (.metadataComeBack, writes && !keeps.isDisjoint(with: [.exif, .xmp, .density]), checkMetadata),
      (.damagedEXIFHidesNothing, writes && keeps.contains(.exif), checkDamagedEXIF),
      (.profileComesBack, writes && keeps.contains(.anyProfile), checkProfile),
      (.plainFilesHaveNoMetadata, writes && counter != nil, checkPlainFiles),
      (.blocksAreCounted, counter != nil && format.blocks != nil, checkBlocks),
    ]
  }

  private var sizeChecks: [Check] {
    let writes = encoder != nil
    return [
      (.thumbnailShowsAllPixels, writes && format.largestSide >= 403, checkThumbnails),
      (.largePictureIsMadeSmall, writes && !format.large.isEmpty, checkLargePictures),
      (.fileFitsItsLimit, writes, checkFileLimit), (.limitsBindWriting, writes, checkWritingLimits),
      (.sidesAreBounded, writes && format.largestSide < 1 << 17, checkSides),
      (.beginningStatesTheSize, sizeReader != nil && !format.beginnings.isEmpty, checkBeginnings),
    ]
  }

  private var frameChecks: [Check] {
    let moves = encoder != nil && format.motion != nil
    let arrives = moves && progressive != nil && format.motion?.playsWhileArriving == true
    let keepsXMP = format.keeps.isSuperset(of: [.orientation, .xmp])
    return [
      (.framesComeBack, moves, checkFrames), (.equalFramesKeepTheirCount, moves, checkEqualFrames),
      (.firstFrameStandsAlone, moves, checkFirstFrame),
      (.otherFramesComeBack, moves && isExact && format.keeps.contains(.alpha), checkOtherFrames),
      (.impossibleFramesAreRefused, moves, checkImpossibleFrames),
      (.mostPlaysAndDelaysAreWritten, moves && format.motion?.most != nil, checkMostPlays),
      (.delaysKeepTheirSum, moves && format.motion?.countsMilliseconds == true, checkDelays),
      (.framesKeepMetadata, moves && keepsXMP, checkFrameMetadata), (.framesAreMadeSmall, moves, checkSmallFrames),
      (.framesStandUpright, moves && isExact && keepsXMP, checkUprightFrames),
      (.limitsBindFrames, moves, checkFrameLimits), (.arrivedFramesPlay, arrives && isExact, checkArrivedFrames),
    ]
  }

  private var readingChecks: [Check] {
    let writes = encoder != nil
    let arrives = writes && progressive != nil
    return [
      (.picturesStandUpright, arrives && format.keeps.contains(.orientation), checkUprightPictures),
      (.arrivedRowsAreShown, arrives && format.showsRows, checkArrivedRows), (.cutsAreNoticed, writes, checkCuts),
      (.wrongBytesDoNoHarm, writes, checkWrongBytes), (.noPictureIsAnError, writes, checkNoPicture),
      (.limitsBindReading, writes, checkReadingLimits),
      (.manyBlocksEndEarly, !format.floods.isEmpty, checkFloods),
    ]
  }
}

// MARK: Calls of the coder

extension FormatContract {
  /// True if pixels come back as they were.
  var isExact: Bool { encoder != nil && !format.lossless.isEmpty }
  /// The options for rules that compare pixels: without loss if the format can.
  var exact: EncodeOptions { format.lossless.first ?? EncodeOptions() }
  /// The format of pixels for pictures that need not be of any.
  var pixels: PixelFormat { format.keeps.contains(.alpha) ? .rgba8 : .opaqueRGBA8 }

  func encode(
    _ image: Image, _ options: EncodeOptions = EncodeOptions(), work: WorkContext = WorkContext(),
    _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    guard let encoder else { throw ImageError(.encodeFailed, "The coder \(coder.identifier) only decodes.") }
    var options = options
    change(&options)
    return try encoder.encode(image, as: format.format, options: options, work: work).withUnsafeBytes { Array($0) }
  }

  func decode(
    _ bytes: [UInt8], limits: Limits = Limits(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> Image {
    var options = DecodeOptions()
    change(&options)
    return try coder.decode(ImageBytes(bytes), options: options, work: WorkContext(limits: limits))
  }

  func probe(_ bytes: [UInt8], limits: Limits = Limits()) throws -> ImageHeader {
    try coder.probe(ImageBytes(bytes), work: WorkContext(limits: limits))
  }

  func makeDecoder(
    _ bytes: [UInt8], limits: Limits = Limits(), _ change: (inout DecodeOptions) -> Void = { _ in }
  ) throws -> any ProgressiveDecoder {
    var options = DecodeOptions()
    change(&options)
    let prefix = Array(bytes.prefix(CoderRegistry.sniffLength))
    let decoder = try progressive?.makeDecoder(prefix: prefix, options: options, work: WorkContext(limits: limits))
    guard let decoder else { throw ImageError(.badImageData, "The coder \(coder.identifier) made no decoder.") }
    return decoder
  }

  /// Decodes a file in pieces of a length; each preview is handed out.
  func decode(
    _ bytes: [UInt8], inPiecesOf length: Int, _ change: (inout DecodeOptions) -> Void = { _ in },
    previews: (Image) throws -> Void = { _ in }
  ) throws -> Image {
    let decoder = try makeDecoder(bytes, change)
    for end in stride(from: length, to: bytes.count, by: length) {
      try decoder.update(ImageBytes(Array(bytes[..<end])))
      if let preview = try decoder.preview() { try previews(preview) }
    }
    return try decoder.finish(ImageBytes(bytes))
  }
}
