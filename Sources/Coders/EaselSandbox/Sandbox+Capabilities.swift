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

extension Sandbox.Coder: RepackingCoder {
  /// The formats that the coder inside names.
  public func repackedFormats(of format: ImageFormat) -> [ImageFormat] {
    base.capability((any RepackingCoder).self)?.repackedFormats(of: format) ?? []
  }

  /// Makes the file of the other format in the sandbox.
  ///
  /// The caller that reads the file checks its format and shows the picture.
  public func repacked(
    _ file: ImageBytes, as format: ImageFormat, withMetadata: Bool, work: WorkContext
  ) throws -> ImageBytes? {
    try work.checkCancellation()
    let result = try sandbox.withProcess(for: picture(file, work.limits), work: work) { process, _ -> ImageBytes? in
      guard case .repacked(let stored) = try process.ask(.repacked(format, withMetadata: withMetadata), work: work)
      else { throw process.brokenRules("answered another question than the one for a file of another format") }
      // A kept process obeys the limits of its first question, so this limit is checked here.
      let isAllowed = stored.map { $0.byteCount <= work.limits.downloadBytes } ?? true
      let result = try isAllowed ? stored.map { try process.bytes($0) } : nil
      sandbox.keep(process)
      return result
    }
    if let result { return result }
    return try outside().capability((any RepackingCoder).self)?
      .repacked(file, as: format, withMetadata: withMetadata, work: work)
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
