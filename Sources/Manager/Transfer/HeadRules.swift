import EaselCore
import EaselHTTP

/// Handles the head of a response before its body is taken: first the modifier, then the checks.
struct HeadRules: Sendable {
  /// The request that the loader got.
  let request: LoadRequest
  let modifier: (any ResponseModifier)?
  let checks: ResponseChecks
  let run: SharedRun

  private var subject: String { request.url.absoluteString }

  /// The head after the response modifier.
  func modified(_ head: ResponseHead) async throws -> ResponseHead {
    guard let modifier else { return head }
    let modified: ResponseHead?
    do {
      modified = try await run.asPlugin { try await modifier.modify(head, for: request) }
    } catch {
      try Task.checkCancellation()
      // An error of this library is passed on, but not a cancellation, because nobody cancelled this load.
      if let known = error as? ImageError, !known.isCancellation { throw known }
      throw ImageError(.invalidResponse, "The response modifier failed.", subject: subject, cause: error)
    }
    try Task.checkCancellation()
    guard let modified else {
      throw ImageError(.invalidResponse, "The response modifier refused the response.", subject: subject)
    }
    return modified.withPlausibleLength
  }

  /// Throws when no body may follow this head.
  func check(_ head: ResponseHead) throws(ImageError) {
    if request.headers.hasConditions && head.status == 304 { return }
    guard head.status != 304 else { throw .unexpectedNotModified(head, subject: subject) }
    try checks.check(head, subject: subject)
    guard head.status != 206 || request.headers["Range"] != nil else {
      throw ImageError(
        .badStatus, "The server sent a part of the body (status 206), but all of it was requested.",
        subject: subject, response: head)
    }
    if let expected = head.expectedLength, let limit = run.limit(exceededBy: expected) {
      throw .overByteLimit(limit, subject: subject)
    }
  }
}

extension ResponseHead {
  /// The head without a negative length; nil stands for an unknown one.
  var withPlausibleLength: ResponseHead {
    guard let length = expectedLength, length < 0 else { return self }
    var head = self
    head.expectedLength = nil
    return head
  }
}

extension ImageError {
  static func unexpectedNotModified(_ head: ResponseHead, subject: String) -> ImageError {
    ImageError(
      .notModified, "The server said that the picture has not changed, but no cache has it.",
      subject: subject, response: head)
  }
}
