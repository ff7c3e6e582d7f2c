import EaselCore
import EaselWorkers

extension ResolvedRecipe {
  /// Encodes a picture in the format that suits it, or in several of which the smallest file counts.
  ///
  /// The bytes are checked against the limits and the recipe.
  func encode(_ image: Image, for request: ResolvedRequest, work: WorkContext) throws -> EncodingResult {
    let checks = EncoderChecks(readers, and: request.coderName == nil ? nil : request.coder)
    var smallest: EncodingResult?
    var failure: (any Error)?
    for file in candidates(for: image) {
      do {
        let made = try file.encode(image, for: request, checks, suffix.text, work)
        if made.bytes.count < smallest?.bytes.count ?? .max { smallest = made }
      } catch {
        guard takesSmallest else { throw error }
        // A format that cannot hold the picture leaves the choice to the others.
        try work.checkCancellation()
        failure = failure ?? error
      }
    }
    guard let smallest else { throw failure! }
    return smallest
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
      try work.limits.check(resultBytes: bytes.count, madeBy: name)
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
}
