import EaselCore

extension Sandbox.Coder: EnclosingCoder {
  /// The coder inside the sandbox.
  ///
  /// In this process, this coder reads only the headers of files that it wrote in this process.
  package var enclosed: any ImageCoder { base }
}

extension Sandbox.Coder: EncodingCoder {
  /// Returns true if the coder inside writes the format.
  public func canEncode(_ format: ImageFormat) -> Bool { encoder?.canEncode(format) ?? false }

  /// Returns true if the coder inside writes animations.
  public func writesFrames(as format: ImageFormat) -> Bool { encoder?.writesFrames(as: format) ?? false }

  /// The options that have an effect in the coder inside.
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

  /// Extracts the file from the other file, in the sandbox.
  ///
  /// The caller that reads the extracted file checks its format and shows the picture.
  public func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes? {
    try work.checkCancellation()
    let file = try sandbox.withProcess(for: picture(bytes, work.limits), work: work) { process, _ -> ImageBytes? in
      guard case .packedFile(let stored) = try process.ask(.packedFile(format), work: work) else {
        throw process.brokenRules("answered another question than the one for a file inside")
      }
      // A kept process obeys the limits of its first question, so this limit is checked here.
      let isAllowed = stored.map { $0.byteCount <= work.limits.downloadBytes } ?? true
      let file = try isAllowed ? stored.map { try process.bytes($0) } : nil
      sandbox.keep(process)
      return file
    }
    return try file ?? outside().capability((any UnpackingCoder).self)?.packedFile(in: bytes, as: format, work: work)
  }
}

extension Sandbox.Coder: DrawingCoder {
  /// Returns true if the coder inside makes drawings of the format.
  public func drawsLarger(_ format: ImageFormat) -> Bool { base.makesDrawings(of: format) }
}

extension Sandbox.Coder: FileNamingCoder {
  /// The extensions that the coder inside states.
  public func fileExtensions(of format: ImageFormat) -> [String] { base.usualExtensions(of: format) }
}

extension Sandbox.Coder: EffortEstimatingCoder {
  /// Estimates the effort in this process, with the coder inside.
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    base.capability((any EffortEstimatingCoder).self)?.effort(of: bytes, limits: limits)
  }
}
