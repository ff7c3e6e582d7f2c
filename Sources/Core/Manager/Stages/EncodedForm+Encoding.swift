extension EncodedForm {
  /// Encodes a picture in the format that suits it, and checks the bytes against the limits.
  func encode(_ image: Image, for request: ResolvedRequest, work: WorkContext) throws -> EncodedBytes {
    try file(for: image).encode(image, for: request, named: suffix.text, work: work)
  }
}

extension FileForm {
  /// Encodes a picture, and checks the bytes against the limits.
  fileprivate func encode(
    _ image: Image, for request: ResolvedRequest, named name: String, work: WorkContext
  ) throws -> EncodedBytes {
    do {
      let bytes = try checkedBytes(of: image, name, work)
      return EncodedBytes(
        bytes: bytes, format: format, size: size(of: bytes, image, request.checks, work),
        isPartial: image.traits.contains(.partial))
    } catch {
      var failure = ImageError.wrappingUncancelled(
        error, as: .encodeFailed, "The picture could not be written as \(format).", subject: request.subject)
      // The error of an encoder must not count against the URL.
      failure.isTemporary = true
      throw failure
    }
  }

  private func checkedBytes(of image: Image, _ name: String, _ work: WorkContext) throws -> ImageBytes {
    try work.limits.check(result: image.size, madeBy: name)
    let bytes = try coder.encode(image, as: format, options: options, work: work)
    try work.limits.check(resultBytes: bytes.count, madeBy: name)
    guard bytes.count <= options.maxFileBytes ?? .max else {
      throw ImageError(
        .encodeFailed,
        "The coder \(work.time.coder ?? coder.identifier) wrote \(bytes.count) bytes, over the limit of "
          + "\(options.maxFileBytes!) in EncodeOptions.maxFileBytes.")
    }
    return bytes
  }

  /// The size of the picture in the bytes; an encoder may have made it smaller.
  private func size(of bytes: ImageBytes, _ image: Image, _ checks: PluginChecks, _ work: WorkContext) -> PixelSize {
    let size = image.metadata.orientation.swapsSides ? image.size.transposed : image.size
    guard options.maxFileBytes != nil || options.maxPixelSize != nil else { return size }
    return (try? checks.header(of: bytes, by: coder, work: work))?.uprightSize ?? size
  }
}
