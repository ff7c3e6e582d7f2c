import EaselCore

/// Checks of results against a request, and the errors of plug-ins that made them.
extension ResolvedRequest {
  /// The checks of plug-in results against the limits of this request.
  var checks: PluginChecks { PluginChecks(limits: limits) }

  /// Wraps the error of a transformer.
  ///
  /// Errors about data or limits that a transformer throws must not count against the URL.
  func failure(ofTransformer name: String, _ error: any Error) -> ImageError {
    guard var limit = error as? ImageError, limit.code == .limitExceeded else {
      return ImageError(.transformFailed, "The \(name) failed.", subject: subject, cause: error)
    }
    limit.subject = limit.subject ?? subject
    limit.isTemporary = true
    return limit
  }

  /// Throws when only a part of a picture could be decoded and the request does not allow that.
  func checkCompleteness(of image: Image) throws(ImageError) {
    guard !image.traits.contains(.partial) || decodeOptions.damaged == .show else {
      throw ImageError(
        .badImageData, "The picture is damaged and only a part of it could be decoded.", subject: subject)
    }
  }

  /// Throws when the request requires a picture that moves and this one does not.
  func checkMotion(of image: Image) throws(ImageError) {
    guard accepts(image) else {
      throw ImageError(
        .badImageData, "The picture does not move, but the request requires one that moves.", subject: subject)
    }
  }
}
