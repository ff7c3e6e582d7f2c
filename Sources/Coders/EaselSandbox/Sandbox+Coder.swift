import EaselCore

extension Sandbox {
  /// A coder whose decoding happens in a sandbox.
  ///
  /// Pictures and errors are those of the coder inside. A crash, a hang or a violation of the rules becomes the error
  /// `decoderCrashed` or `limitExceeded`. Encoding happens in this process, because its input is pixels and not a
  /// stranger's file. This coder can do everything that the coder inside can.
  public struct Coder: ImageCoder {
    let base: any ImageCoder
    /// The coder inside as an encoder, looked up once because it is needed often.
    let encoder: (any EncodingCoder)?
    private let guest: (any SandboxGuest)?
    private let group: WorkerGroup
    let sandbox: Sandbox

    /// Puts a coder into a sandbox, whose worker must know a coder with the same identifier.
    public init(_ base: any ImageCoder, in sandbox: Sandbox) {
      self.base = base
      encoder = base.capability((any EncodingCoder).self)
      guest = base.capability((any SandboxGuest).self)
      group = WorkerGroup(of: base)
      self.sandbox = sandbox
    }

    /// The identifier of the coder inside, because cached pictures do not depend on where they were decoded.
    public var identifier: String { base.identifier }

    /// The formats of the coder inside.
    public var formats: [ImageFormat] { base.formats }

    /// Returns true if the coder inside recognizes the signature; this check runs in this process.
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
        // Most pictures are decoded soon after their header was read.
        sandbox.keep(process)
        return header
      }
      return try header ?? outside().probe(bytes, work: work)
    }

    /// Decodes in the sandbox, at the size that the options ask for.
    public func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
      try work.checkCancellation()
      let end = sandbox.configuration.beginsWork?(identifier, work)
      defer { end?() }
      let picture = picture(bytes, work.limits)
      let image = try sandbox.withProcess(for: picture, work: work) { process, _ -> Image in
        let stored = try process.picture(options, work: work)
        let image = try self.image(stored, by: process, of: picture, options, work)
        if image.frames == nil { sandbox.reuse(process) } else { sandbox.keep(process, decodedWith: options) }
        return image
      }
      return try image ?? outside().decode(bytes, options: options, work: work)
    }

    /// The picture of an answer, with its frames.
    func image(
      _ stored: StoredImage, by process: DecoderProcess, of picture: SandboxedImage, _ options: DecodeOptions,
      _ work: WorkContext
    ) throws -> Image {
      if let format = stored.format { try check(format, by: process) }
      var image = try process.image(stored, limits: work.limits)
      guard let list = stored.frames else { return image }
      try process.check(list.durations.count, framesOf: list.canvasSize, limits: work.limits)
      image.frames = SandboxedFrames(
        list, of: picture, options: options, limits: work.limits, context: work.context, sandbox: sandbox)
      return image
    }

    /// Throws for a format that the coder does not have, because the format may become the content type of a response.
    private func check(_ format: ImageFormat, by process: DecoderProcess) throws {
      guard formats.contains(format) else { throw process.brokenRules("claimed a format that is not its own") }
    }

    func picture(_ bytes: ImageBytes, _ limits: Limits) -> SandboxedImage {
      SandboxedImage(
        bytes: bytes, coder: base.identifier, group: group, hasThreads: guest?.startsThreads ?? false,
        memoryBytes: guest?.memoryBytes(forFileOf: bytes.count, limits: limits))
    }

    /// The coder for this process, if the system offers no sandbox and the configuration demands none.
    func outside() throws(ImageError) -> any ImageCoder {
      guard guest?.staysInSandbox != true else {
        throw ImageError(
          .decoderCrashed,
          "There is no sandbox, and the coder \(base.identifier) decodes in no other place. Allow the program to start "
            + "processes, and name the program easel in the configuration if it cannot be its own worker.")
      }
      return base
    }
  }
}

extension DecoderProcess {
  func picture(_ options: DecodeOptions, work: WorkContext) throws -> StoredImage {
    guard case .picture(let picture) = try ask(.picture(options), work: work) else {
      throw brokenRules("answered another question than the one for a picture")
    }
    return picture
  }

  /// Throws if a header is over the limits, which the coder should have refused.
  func check(_ header: ImageHeader, limits: Limits) throws(ImageError) {
    try limits.check(frame: header.storedSize, claimedBy: claimant)
    try limits.check(frameCount: header.frameCount, claimedBy: claimant)
  }

  /// Throws if the frames of a picture are over the limits, which the coder should have refused.
  func check(_ count: Int, framesOf size: PixelSize, limits: Limits) throws(ImageError) {
    try limits.check(frame: size, claimedBy: claimant)
    try limits.check(frameCount: count, of: size, claimedBy: claimant)
  }

  /// The picture with its pixels, but without its frames.
  func image(_ stored: StoredImage, limits: Limits) throws -> Image {
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
  /// This registry with the chosen coders in a sandbox; those in a sandbox already stay there.
  public func sandboxed(in sandbox: Sandbox, where isChosen: (any ImageCoder) -> Bool = { _ in true }) -> CoderRegistry
  {
    CoderRegistry(coders.map { !($0 is Sandbox.Coder) && isChosen($0) ? Sandbox.Coder($0, in: sandbox) : $0 })
  }
}
