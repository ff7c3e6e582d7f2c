import EaselCore

/// Checks the result of an encoder before it is delivered, stored or served: it must be a file of the format, with a
/// picture of the right size.
package struct EncoderChecks: Sendable {
  private let readers: CoderRegistry

  /// Creates checks with the coders of a manager, and with the coder of a context, which is asked last.
  package init(_ coders: CoderRegistry, and own: (any ImageCoder)? = nil) {
    let others = own?.registry.coders ?? []
    // Bytes that this process has written are safe to read here, which costs less than a sandbox.
    readers = CoderRegistry((others + coders.coders).map(\.inThisProcess))
  }

  /// Encodes a picture, and checks the bytes.
  package func bytes(
    of image: Image, as format: ImageFormat, by coder: any EncodingCoder, _ options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes {
    let bytes = try coder.encode(image, as: format, options: options, work: work)
    let writer = work.time.coder ?? coder.identifier
    _ = try size(of: bytes, writtenAs: format, by: writer, from: image, options, work: work)
    return bytes
  }

  /// The upright size of the picture in the bytes; throws `encodeFailed` when it is not the picture that was encoded.
  ///
  /// It throws the same when there are more bytes than the options allow.
  package func size(
    of bytes: ImageBytes, writtenAs format: ImageFormat, by coder: String, from image: Image, _ options: EncodeOptions,
    work: WorkContext
  ) throws(ImageError) -> PixelSize {
    guard bytes.count <= options.maxFileBytes ?? .max else {
      throw ImageError(
        .encodeFailed,
        "The coder \(coder) wrote \(bytes.count) bytes, over the limit of \(options.maxFileBytes!) in "
          + "EncodeOptions.maxFileBytes.")
    }
    let reading = Self.reading(for: work)
    let expected = image.metadata.orientation.swapsSides ? image.size.transposed : image.size
    guard try isReadable(bytes, as: format, by: coder, work: reading) else { return expected }
    let stored: PixelSize
    var upright = expected
    do {
      if options.maxFileBytes == nil, options.maxPixelSize == nil {
        stored = try readers.storedSize(of: bytes, work: reading)
      } else {
        let header = try readers.probe(bytes, work: reading)
        (stored, upright) = (header.storedSize, header.uprightSize)
      }
    } catch {
      throw ImageError(
        .encodeFailed,
        "The coder \(coder) returned \(bytes.count) bytes as \(format), of which no coder can read the "
          + "header.", cause: error)
    }
    guard Self.may(stored, hold: image, options) else {
      throw ImageError(
        .encodeFailed, "The coder \(coder) was given a picture of \(image.size) and returned one of \(stored).")
    }
    return upright
  }

  /// True when a coder reads the format; throws when the bytes have another format.
  private func isReadable(
    _ bytes: ImageBytes, as format: ImageFormat, by coder: String, work: WorkContext
  ) throws(ImageError) -> Bool {
    guard !bytes.isEmpty else {
      throw ImageError(.encodeFailed, "The coder \(coder) returned no bytes as \(format).")
    }
    let found = try readers.format(of: bytes, work: work)
    if found == format { return true }
    // If no coder reads the format, its signature can be checked only for the usual formats.
    let prefix = try bytes.prefix(CoderRegistry.sniffLength)
    if found == nil, readers.coder(decoding: format) == nil, format.mayBegin(with: prefix) { return false }
    throw ImageError(
      .encodeFailed,
      "The coder \(coder) returned \(bytes.count) bytes as \(format), which are "
        + "\(found?.mimeType ?? "not of that format").")
  }

  /// True when the size fits a file that was made from this picture.
  package static func may(_ stored: PixelSize, hold image: Image, _ options: EncodeOptions = EncodeOptions()) -> Bool {
    // An encoder may rotate the pixels, or state the orientation.
    var sizes = image.metadata.orientation == .up ? [image.size] : [image.size, image.size.transposed]
    if let box = options.maxPixelSize {
      sizes = sizes.map { $0.thumbnail(in: box) }
      if image.metadata.orientation != .up { sizes += sizes.map(\.transposed) }
    }
    guard options.maxFileBytes != nil else { return sizes.contains(stored) }
    return !stored.isEmpty && sizes.contains { stored.width <= $0.width && stored.height <= $0.height }
  }

  /// The format of a serializer's bytes; throws when their header shows that they are not this picture.
  package static func format(
    ofSerialized bytes: ImageBytes, _ image: Image, _ format: ImageFormat?, _ work: WorkContext,
    reader: () throws -> any ImageCoder
  ) throws(ImageError) -> ImageFormat {
    guard let format else {
      throw ImageError(
        .encodeFailed, "The cache serializer returned \(bytes.count) bytes of a format that no registered coder knows.")
    }
    let header: ImageHeader
    do {
      header = try reader().probe(bytes, work: work)
    } catch {
      throw ImageError(.encodeFailed, "The cache serializer returned \(format) that cannot be read.", cause: error)
    }
    // If the picture is not upright, the serializer may have rotated the pixels, or stated the orientation.
    let isOtherwiseUp = image.metadata.orientation != .up && may(header.storedSize, hold: image)
    guard header.uprightSize == image.size || isOtherwiseUp else {
      throw ImageError(
        .encodeFailed,
        "The cache serializer was given a picture of \(image.size) and returned one of \(header.uprightSize).")
    }
    if let frames = image.frames, header.frameCount != frames.count {
      throw ImageError(
        .encodeFailed,
        "The cache serializer was given \(frames.count) frames and returned \(header.frameCount).")
    }
    return format
  }

  /// The context for reading a header; limits for untrusted files do not apply to bytes that were written here.
  private static func reading(for work: WorkContext) -> WorkContext {
    var limits = work.limits
    limits.side = .max
    limits.framePixels = .max
    limits.progressiveJPEGPixels = .max
    limits.frames = .max
    limits.totalPixels = .max
    limits.metadataBytes = .max
    limits.blocks = .max
    return WorkContext(limits: limits, context: work.context)
  }
}

extension ImageFormat {
  /// False when no file of this format begins like this; true for a format whose signature is not listed.
  fileprivate func mayBegin(with prefix: [UInt8]) -> Bool {
    switch self {
    case .png: prefix.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    case .jpeg: prefix.starts(with: [0xff, 0xd8, 0xff])
    case .gif: prefix.starts(with: "GIF87a".utf8) || prefix.starts(with: "GIF89a".utf8)
    case .webp: prefix.starts(with: "RIFF".utf8) && prefix.dropFirst(8).starts(with: "WEBP".utf8)
    case .avif, .heic: prefix.dropFirst(4).starts(with: "ftyp".utf8)
    case .jxl: prefix.starts(with: [0xff, 0x0a]) || prefix.dropFirst(4).starts(with: "JXL ".utf8)
    default: true
    }
  }
}
