import EaselCore

extension Sandbox.Coder: EnclosingCoder {
  /// The coder inside.
  ///
  /// It reads in this process the headers of files that it has written in this process.
  package var enclosed: any ImageCoder { base }
}

extension Sandbox.Coder: EncodingCoder {
  /// True when the coder inside writes the format.
  public func canEncode(_ format: ImageFormat) -> Bool { encoder?.canEncode(format) ?? false }

  /// True when the coder inside writes moving pictures.
  public func writesFrames(as format: ImageFormat) -> Bool { encoder?.writesFrames(as: format) ?? false }

  /// The options with an effect, as the coder inside sees them.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    encoder?.effectiveOptions(options, for: format) ?? options
  }

  /// Encodes in this process.
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard let encoder else {
      throw ImageError(.encodeFailed, "The coder \(identifier) does not write \(format).")
    }
    return try encoder.encode(image, as: format, options: options, work: work)
  }
}

extension Sandbox.Coder: MetadataCountingCoder {
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
    return try count ?? outside().capability((any MetadataCountingCoder).self)?.metadataBytes(of: bytes, work: work)
  }
}

extension Sandbox.Coder: UnpackingCoder {
  /// The formats that the coder inside names.
  public func packedFormats(in format: ImageFormat) -> [ImageFormat] {
    base.capability((any UnpackingCoder).self)?.packedFormats(in: format) ?? []
  }

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
    return try file ?? outside().capability((any UnpackingCoder).self)?.packedFile(in: bytes, as: format, work: work)
  }
}

extension Sandbox.Coder: DrawingCoder {
  /// True when the coder inside makes drawings of the format.
  public func drawsLarger(_ format: ImageFormat) -> Bool { base.makesDrawings(of: format) }
}

extension Sandbox.Coder: FileNamingCoder {
  /// The extensions that the coder inside gives.
  public func fileExtensions(of format: ImageFormat) -> [String] { base.usualExtensions(of: format) }
}

extension Sandbox.Coder: EffortEstimatingCoder {
  /// Estimates in this process, as the coder inside does.
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    base.capability((any EffortEstimatingCoder).self)?.effort(of: bytes, limits: limits)
  }
}
