// What a registry can do besides decoding is what the coder in question can do.

extension CoderRegistry: EncodingCoder {
  /// True when one of the coders writes the format.
  public func canEncode(_ format: ImageFormat) -> Bool { coder(encoding: format) != nil }

  /// True when the coder added last that writes the format can write moving pictures.
  public func writesFrames(as format: ImageFormat) -> Bool {
    coder(encoding: format)?.writesFrames(as: format) ?? false
  }

  /// The effective options of the coder added last that writes the format.
  public func effectiveOptions(_ options: EncodeOptions, for format: ImageFormat) -> EncodeOptions {
    coder(encoding: format)?.effectiveOptions(options, for: format) ?? options
  }

  /// Encodes with the coder added last that writes the format.
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
  /// The decoder of the coder that recognizes the signature; nil when that coder is not progressive.
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
  /// The number of bytes of metadata, as the first coder that supports the bytes counts them.
  public func metadataBytes(of bytes: ImageBytes, work: WorkContext) throws -> Int? {
    try first(of: bytes, work) {
      try $0.capability((any MetadataCountingCoder).self)?.metadataBytes(of: bytes, work: work)
    }
  }
}

extension CoderRegistry: UnpackingCoder {
  /// The formats that the coder added last of those that decode a format finds inside its files.
  public func packedFormats(in format: ImageFormat) -> [ImageFormat] {
    coder(decoding: format)?.capability((any UnpackingCoder).self)?.packedFormats(in: format) ?? []
  }

  /// The file that the first coder that supports the bytes finds inside them.
  public func packedFile(in bytes: ImageBytes, as format: ImageFormat, work: WorkContext) throws -> ImageBytes? {
    try first(of: bytes, work) {
      try $0.capability((any UnpackingCoder).self)?.packedFile(in: bytes, as: format, work: work)
    }
  }
}

extension CoderRegistry: DrawingCoder {
  /// True when the coder that decodes the format makes drawings of it.
  public func drawsLarger(_ format: ImageFormat) -> Bool {
    coder(decoding: format)?.makesDrawings(of: format) ?? false
  }
}

extension CoderRegistry: SizeReadingCoder {
  /// Reads the size with the first coder that supports the bytes.
  public func storedSize(of bytes: ImageBytes, work: WorkContext) throws -> PixelSize {
    try first(of: bytes, work) { try $0.usualSize(of: bytes, work: work) }
  }
}

extension CoderRegistry: FileNamingCoder {
  /// The extensions that the coder which decodes the format gives.
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
