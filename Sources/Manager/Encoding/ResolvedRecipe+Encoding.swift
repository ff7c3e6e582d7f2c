import EaselCore
import EaselWorkers

extension ResolvedRecipe {
  /// Encodes a picture in the format that suits it, and checks the bytes against the limits and the recipe.
  func encode(_ image: Image, for request: ResolvedRequest, work: WorkContext) throws -> EncodingResult {
    let checks = EncoderChecks(readers, and: request.coderName == nil ? nil : request.coder)
    return try file(for: image).encode(image, for: request, checks, suffix.text, work)
  }
}

extension RecipeFormat {
  fileprivate func encode(
    _ image: Image, for request: ResolvedRequest, _ checks: EncoderChecks, _ name: String, _ work: WorkContext
  ) throws -> EncodingResult {
    do {
      try work.limits.check(result: image.size, madeBy: name)
      let bytes = try coder.encode(image, as: format, options: options, work: work)
      let writer = work.time.coder ?? coder.identifier
      try check(bytes, by: writer, name, work)
      let size = try checks.size(of: bytes, writtenAs: format, by: writer, from: image, options, work: work)
      return EncodingResult(
        bytes: bytes, format: format, size: size, isPartial: image.traits.contains(.partial))
    } catch {
      var failure = ImageError.wrappingUncancelled(
        error, as: .encodeFailed, "The picture could not be written as \(format).", subject: request.subject)
      // An encoder's error must not block the URL.
      failure.isTemporary = true
      throw failure
    }
  }

  private func check(_ bytes: ImageBytes, by writer: String, _ name: String, _ work: WorkContext) throws(ImageError) {
    try work.limits.check(resultBytes: bytes.count, madeBy: name)
    guard bytes.count <= options.maxFileBytes ?? .max else {
      throw ImageError(
        .encodeFailed,
        "The coder \(writer) wrote \(bytes.count) bytes, over the limit of \(options.maxFileBytes!) in "
          + "EncodeOptions.maxFileBytes.")
    }
  }
}
