import EaselCore

/// A coder whose decoding happens in a sandbox.
///
/// Pictures and errors are those of the coder inside; a crash, a hang or a broken rule there is the error
/// `decoderCrashed` or `limitExceeded`. Encoding happens in this process, because its input is pixels and not somebody's
/// file. A sandboxed coder makes no previews while bytes arrive.
public struct SandboxedCoder: ImageCoder {
  let base: any ImageCoder
  private let sandbox: Sandbox

  /// Puts a coder into a sandbox, whose worker must know a coder with the same identifier.
  public init(_ base: any ImageCoder, in sandbox: Sandbox) {
    self.base = base
    self.sandbox = sandbox
  }

  /// The identifier of the coder inside: pictures in caches are the same, wherever they were decoded.
  public var identifier: String { base.identifier }

  /// The formats of the coder inside.
  public var formats: [ImageFormat] { base.formats }

  /// The extensions that the coder inside gives.
  public func fileExtensions(of format: ImageFormat) -> [String] { base.fileExtensions(of: format) }

  /// True when the coder inside makes drawings of the format.
  public func drawsLarger(_ format: ImageFormat) -> Bool { base.drawsLarger(format) }

  /// True when the coder inside recognizes the signature; this runs in this process.
  public func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  /// Reads the header in the sandbox.
  public func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try work.checkCancellation()
    let header = try sandbox.withProcess(for: picture(bytes, work.limits), work: work) { process, _ -> ImageHeader in
      guard case .header(let header) = try process.ask(.header, work: work) else {
        throw process.brokenRules("answered another question than the one for a header")
      }
      try check(header.format, by: process)
      try process.check(header, limits: work.limits)
      // Most pictures are decoded right after their header was read.
      sandbox.keep(process)
      return header
    }
    return try header ?? outside().probe(bytes, work: work)
  }

  /// Decodes in the sandbox, at the size that the options ask for.
  public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try work.checkCancellation()
    let picture = picture(bytes, work.limits)
    let image = try sandbox.withProcess(for: picture, work: work) { process, _ -> Image in
      let stored = try process.picture(options, work: work)
      if let format = stored.format { try check(format, by: process) }
      var image = try process.image(stored, limits: work.limits)
      if let list = stored.frames {
        try process.check(list.durations.count, framesOf: list.canvasSize, limits: work.limits)
        let frames = SandboxedFrames(
          list, of: picture, options: options, limits: work.limits, context: work.context, sandbox: sandbox)
        image.frames = frames
        sandbox.keep(process, decodedWith: options)
      }
      return image
    }
    return try image ?? outside().decode(bytes, options: options, work: work)
  }

  /// Counts in the sandbox.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try work.checkCancellation()
    let count = try sandbox.withProcess(for: picture(bytes, work.limits), work: work) { process, _ -> Int? in
      guard case .metadataBytes(let count) = try process.ask(.metadataBytes, work: work) else {
        throw process.brokenRules("answered another question than the one for metadata")
      }
      sandbox.keep(process)
      return count
    }
    return try count ?? outside().metadataBytes(of: bytes, work: work)
  }

  /// The formats that the coder inside names.
  public func packedFormats(in format: ImageFormat) -> [ImageFormat] { base.packedFormats(in: format) }

  /// Takes the file out of the other in the sandbox.
  ///
  /// Its reader checks that it is of the format, and shows the picture.
  public func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes? {
    try work.checkCancellation()
    let file = try sandbox.withProcess(for: picture(bytes, work.limits), work: work) { process, _ -> ImageBytes? in
      guard case .packedFile(let stored) = try process.ask(.packedFile(format), work: work) else {
        throw process.brokenRules("answered another question than the one for a file inside")
      }
      // A process that was kept obeys the limits of its first question.
      let isAllowed = stored.map { $0.byteCount <= work.limits.downloadBytes } ?? true
      let file = try isAllowed ? stored.map { try process.bytes($0) } : nil
      sandbox.keep(process)
      return file
    }
    return try file ?? base.packedFile(in: bytes, as: format, work: work)
  }

  /// True when the coder inside writes the format.
  public func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  /// True when the coder inside writes moving pictures.
  public func writesFrames(as format: ImageFormat) -> Bool { base.writesFrames(as: format) }

  /// The options with an effect, as the coder inside sees them.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    base.effectiveOptions(options, for: format)
  }

  /// Encodes in this process.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    try base.encode(image, as: format, options: options, work: work)
  }

  /// Throws for a format that is not one of the coder's: it may end up as the type of what a server sends.
  private func check(_ format: ImageFormat, by process: DecoderProcess) throws {
    guard formats.contains(format) else { throw process.brokenRules("claimed a format that is not its own") }
  }

  private func picture(_ bytes: ImageBytes, _ limits: Limits) -> SandboxedPicture {
    let guest = base as? any SandboxGuest
    return SandboxedPicture(
      bytes: bytes, coder: base.identifier, hasThreads: guest?.startsThreads ?? false,
      memoryBytes: guest?.memoryBytes(for: bytes.count, limits))
  }

  /// The coder for this process, where the system offers no sandbox and none is demanded.
  private func outside() throws(ImageError) -> any ImageCoder {
    guard (base as? any SandboxGuest)?.staysInSandbox != true else {
      throw ImageError(
        .decoderCrashed,
        "There is no sandbox, and the coder \(base.identifier) decodes in no other place. Allow the program to start "
          + "processes, and name the program easel in the configuration if it cannot be its own worker.")
    }
    return base
  }
}

extension SandboxedCoder: EffortEstimatingCoder {
  /// Estimates in this process, as the coder inside does.
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    (base as? any EffortEstimatingCoder)?.effort(of: bytes, limits: limits)
  }
}

extension DecoderProcess {
  func picture(_ options: DecodeOptions, work: WorkContext) throws -> StoredPicture {
    guard case .picture(let picture) = try ask(.picture(options), work: work) else {
      throw brokenRules("answered another question than the one for a picture")
    }
    return picture
  }

  /// Throws when a header claims more than the limits allow, which the coder should have refused.
  func check(_ header: ImageHeader, limits: Limits) throws(ImageError) {
    try limits.check(frame: header.storedSize, claimedBy: claimant)
    try limits.check(frameCount: header.frameCount, claimedBy: claimant)
  }

  /// Throws when the frames of a picture are more than the limits allow, which the coder should have refused.
  func check(_ count: Int, framesOf size: PixelSize, limits: Limits) throws(ImageError) {
    try limits.check(frame: size, claimedBy: claimant)
    try limits.check(frameCount: count, of: size, claimedBy: claimant)
  }

  /// The picture with its pixels, without its frames.
  func image(_ stored: StoredPicture, limits: Limits) throws -> Image {
    var metadata = stored.metadata
    if let map = stored.gainMap {
      metadata.gainMap = GainMap(try bitmap(map.bitmap, limits: limits), formula: map.formula)
      metadata.gainMap?.fullSize = map.fullSize
    }
    let pixels = try bitmap(stored.bitmap, limits: limits)
    return Image(pixels, format: stored.format, metadata: metadata, traits: stored.traits)
  }
}

extension CoderRegistry {
  /// The same registry with the chosen coders in a sandbox.
  public func sandboxed(in sandbox: Sandbox, where isChosen: (any ImageCoder) -> Bool = { _ in true }) -> CoderRegistry
  {
    CoderRegistry(coders.map { isChosen($0) ? SandboxedCoder($0, in: sandbox) : $0 })
  }
}
