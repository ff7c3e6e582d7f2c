// The registry passes each of these questions on to the coder that handles the format or the bytes.

extension CoderRegistry: EncodingCoder {
  /// True when one of the coders writes the format.
  public func canEncode(_ format: ImageFormat) -> Bool { coder(encoding: format) != nil }

  /// True when the last added coder that writes the format can write moving pictures.
  public func writesFrames(as format: ImageFormat) -> Bool {
    coder(encoding: format)?.writesFrames(as: format) ?? false
  }

  /// The effective options, as the last added coder that writes the format gives them.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    coder(encoding: format)?.effectiveOptions(options, for: format) ?? options
  }

  /// Encodes with the last added coder that writes the format.
  ///
  /// ```swift
  /// let options = EncodeOptions(quality: 0.7)
  /// let file = try CoderRegistry.standard.encode(image, as: .jpeg, options: options, work: WorkContext())
  /// try file.data().write(to: url)
  /// ```
  public func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    guard let coder = coder(encoding: format) else {
      throw ImageError(.encodeFailed, "No registered coder writes \(format).")
    }
    work.time.note(coder: coder.identifier)
    return try coder.encode(image, as: format, options: options, work: work)
  }
}

extension CoderRegistry: ProgressiveImageCoder {
  /// Asks the coder that recognizes the signature for a decoder; returns nil when that coder is not progressive.
  public func makeDecoder(
    prefix: [UInt8], options: DecodeOptions, work: WorkContext
  ) throws -> (any ProgressiveDecoder)? {
    let coder = coders.last { $0.canDecode(prefix: prefix) }
    if let coder { work.time.note(coder: coder.identifier) }
    return try coder?.capability((any ProgressiveImageCoder).self)?
      .makeDecoder(prefix: prefix, options: options, work: work)
  }
}

extension CoderRegistry: MetadataCountingCoder {
  /// Counts the bytes of metadata with the first coder that supports the bytes.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try first(of: bytes, work) {
      try $0.capability((any MetadataCountingCoder).self)?.metadataBytes(of: bytes, work: work)
    }
  }
}

extension CoderRegistry: RepackingCoder {
  private var repackers: [any RepackingCoder] { coders.compactMap { $0.capability((any RepackingCoder).self) } }

  /// The formats that one of the coders makes of files of `format`.
  public func repackedFormats(of format: ImageFormat) -> [ImageFormat] {
    repackers.flatMap { $0.repackedFormats(of: format) }
  }

  /// Asks the coders for the file of another format, the last added first.
  public func repacked(
    _ file: ImageBytes, as format: ImageFormat, withMetadata: Bool, work: WorkContext
  ) throws -> ImageBytes? {
    try repackers.reversed().reduce(nil) {
      try $0 ?? $1.repacked(file, as: format, withMetadata: withMetadata, work: work)
    }
  }
}

extension CoderRegistry: DrawingCoder {
  /// True when the coder that decodes the format treats its pictures as drawings.
  public func drawsLarger(_ format: ImageFormat) -> Bool { coder(decoding: format)?.makesDrawings(of: format) ?? false }
}

extension CoderRegistry: SizeReadingCoder {
  /// Reads the size with the first coder that supports the bytes.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try first(of: bytes, work) { try $0.usualSize(of: bytes, work: work) }
  }
}

extension CoderRegistry: FileNamingCoder {
  /// The file extensions, as the coder that decodes the format gives them.
  public func fileExtensions(of format: ImageFormat) -> [String] {
    coder(decoding: format)?.usualExtensions(of: format) ?? []
  }
}

extension CoderRegistry: EffortEstimatingCoder {
  package func effort(of bytes: ImageBytes, limits: Limits) -> Duration? {
    guard let prefix = try? bytes.prefix(Self.sniffLength) else { return nil }
    let coder = coders.last { $0.canDecode(prefix: prefix) }
    return coder?.capability((any EffortEstimatingCoder).self)?.effort(of: bytes, limits: limits)
  }
}
