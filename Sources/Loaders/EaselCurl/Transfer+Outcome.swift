import CEaselCurl
import EaselCore
import FoundationEssentials

/// Decides what follows from the result of a leg.
extension Transfer {
  /// Prepares the leg that the redirect asks for.
  func followRedirect() throws(ImageError) -> Redirect {
    let source = leg
    let text = try redirectTarget()
    guard let target = URL(string: text), let origin = Leg.origin(text) else { throw .noRedirectTarget(text, self) }
    guard source.redirects < engine.configuration.maximumRedirects else {
      throw ImageError(
        .network, "The server redirects more than \(engine.configuration.maximumRedirects) times (maximumRedirects).",
        subject: subject,
        causes: [CurlFailure(CURLE_TOO_MANY_REDIRECTS)])
    }
    let isForeign = Leg.origin(source.url) != origin
    leg = source.redirected(
      by: head ?? ResponseHead(), to: text, of: job.request, isForeign: isForeign, allowing: engine.configuration)
    return Redirect(
      source: source.responseURL(job.request) ?? job.request.url, target: target, status: head?.status ?? 0,
      count: leg.redirects, isForeign: leg.isForeign)
  }

  /// The absolute http or https URL that the redirect leads to.
  private func redirectTarget() throws(ImageError) -> String {
    let places = Set(head?.headers.values(of: "Location").filter { !$0.isEmpty } ?? [])
    guard let place = places.first, places.count == 1 else {
      throw ImageError(
        .network, "The server redirects to several URLs at once: \(places.sorted().joined(separator: ", ").inMessage).",
        subject: subject, response: head, cause: CurlFailure(CURLE_WEIRD_SERVER_REPLY))
    }
    guard Self.scheme(of: place).map({ ["http", "https"].contains($0) }) ?? true else {
      throw ImageError(
        .unsupportedURL, "The server redirects to \(place.inMessage), but only http and https are followed.",
        subject: subject, response: head)
    }
    guard let resolved = easel_url_resolve(leg.url, place) else { throw .noRedirectTarget(place, self) }
    defer { easel_url_free(resolved) }
    return String(cString: resolved)
  }

  /// The scheme of a reference in lower case; nil for a relative reference.
  private static func scheme(of reference: String) -> String? {
    let name = reference.prefix { $0 != ":" }
    guard name.endIndex != reference.endIndex, let first = name.first, first.isASCII, first.isLetter else { return nil }
    let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    return isName ? name.lowercased() : nil
  }

  /// True when bytes came over the kept connection before the request was sent.
  func metSpoiledConnection(_ code: CURLcode) -> Bool { code == CURLE_ABORTED_BY_CALLBACK && !leg.isAlone }

  /// True when the connection or the server failed in the middle of a body.
  func isCut(by code: CURLcode) -> Bool {
    [
      CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ].contains(code)
  }

  /// True when a kept connection failed a request that may be sent again.
  ///
  /// Either the connection ended without an answer, because the server closed it as idle just then, or it delivered the
  /// rest of something else.
  ///
  /// curl resends by itself, but only so few times in the life of an easy handle that it cannot be relied on.
  func metUselessConnection(_ code: CURLcode) -> Bool {
    guard stage == .head, tally.wasReused, !leg.isAlone, leg.isRepeatable else { return false }
    switch code {
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2: return tally.cameEmpty
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return true
    default: return false
    }
  }

  /// True when the request asks for a whole picture, so that two parts of the body can be joined.
  private var mayResume: Bool { job.request.isResumable }

  /// The range request for the rest of the body; nil when it cannot be made.
  func rest() -> BodyRange? {
    guard mayResume, let head = takenHead, let length = head.expectedLength, received > 0, received < length,
      let validator = BodyRange.strongValidator(of: head)
    else { return nil }
    return BodyRange(start: received, length: length, validator: validator, head: head)
  }

  /// Keeps the bytes that the sink has for the next load of the same key.
  func keepWhatCame() {
    // An answered load has returned, and its sink must not be touched any more.
    guard !isAnswered, let store = engine.configuration.resumeStore else { return }
    if let partial { return store.put(partial, for: job.request.key) }
    guard failure == nil || failure?.code == .truncatedBody, let range = rest(), let bytes = job.sink.receivedBytes,
      bytes.count == received
    else { return }
    let kept = PartialBody(bytes: bytes, head: range.head, validator: range.validator, length: range.length)
    store.put(kept, for: job.request.key)
  }

  func tooSlowError(_ bytes: Int64) -> ImageError {
    let configuration = engine.configuration
    return ImageError(
      .timedOut,
      "The server sent \(bytes) bytes in \(configuration.leastRatePeriod), less than \(configuration.leastRate ?? 0) a "
        + "second. Lower leastRate to wait for such a server.", subject: subject, response: takenHead)
  }

  func timeoutError(isTotal: Bool) -> ImageError {
    let limit = isTotal ? engine.configuration.totalTimeout! : engine.configuration.idleTimeout
    let what =
      isTotal
      ? "The transfer took longer than \(limit). Raise totalTimeout to allow it."
      : takenHead == nil
        ? "The server did not answer within \(limit). Raise idleTimeout to wait longer."
        : "The server sent nothing for \(limit), after \(received) bytes of the body. Raise idleTimeout to wait longer."
    return ImageError(.timedOut, what, subject: subject)
  }

  /// The error when curl reports success, but the body does not have the announced length.
  ///
  /// It comes from a last check that does not trust curl.
  func otherLengthError() -> ImageError {
    let length = announcedLength ?? 0
    return ImageError(
      packedCount < length ? .truncatedBody : .network,
      "The body has \(packedCount) bytes, but the server announced \(length).", subject: subject, response: takenHead,
      cause: CurlFailure(CURLE_WEIRD_SERVER_REPLY))
  }

  /// The error when the transfer ended well but the packed data did not.
  func incompletePackingError() -> ImageError {
    guard endsWithConnection else { return .brokenPacking(subject: subject, takenHead) }
    return ImageError(
      .truncatedBody, "The connection was closed in the middle of the packed body, after \(packedCount) bytes.",
      subject: subject, response: takenHead)
  }

  func uselessBytesError(for code: CURLcode, detail: String) -> ImageError {
    ImageError(
      .limitExceeded, "The server sent many bytes that belong to no response, so the connection was closed.",
      subject: subject, response: takenHead, cause: CurlFailure(code, detail: detail))
  }

  func error(for code: CURLcode, detail: String) -> ImageError {
    let failure = CurlFailure(code, detail: detail)
    var error: ImageError
    if let refusedAddress, code == CURLE_COULDNT_CONNECT {
      error = ImageError(
        .forbiddenAddress, "The address policy forbids connections to \(refusedAddress).", subject: subject,
        cause: failure)
    } else if stage == .body, isCut(by: code), let length = takenHead?.expectedLength {
      error = ImageError(
        .truncatedBody, "The body ended after \(received) of \(length) bytes.", subject: subject, cause: failure)
    } else if stage == .body, code == CURLE_PARTIAL_FILE {
      error = ImageError(
        .truncatedBody, "The connection was closed after \(received) bytes, before the end of the body.",
        subject: subject, cause: failure)
    } else if stage == .head, code == CURLE_OUT_OF_MEMORY {
      // curl reports an overlong line as a lack of memory.
      error = ImageError(
        .limitExceeded, "A line in the head of the response is longer than the 100 kB that curl allows.",
        subject: subject, cause: failure)
    } else if code == CURLE_RECV_ERROR, detail.hasPrefix("Out of memory in chunked") {
      // The same report, for an overlong trailer line.
      error = ImageError(
        .limitExceeded, "A line after the last chunk of the body is longer than the 4 kB that curl allows.",
        subject: subject, cause: failure)
    } else if code == CURLE_URL_MALFORMAT, leg.redirects > 0 {
      error = .noRedirectTarget(leg.url, self)
    } else if stage == .head, code == CURLE_OK || code == CURLE_PARTIAL_FILE {
      error = ImageError(
        .network, "The connection was closed in the middle of the head of the response.", subject: subject,
        cause: failure)
    } else {
      error = ImageError(failure.imageCode, failure.sentence(leg.url), subject: subject, cause: failure)
    }
    error.response = takenHead
    return error
  }
}

extension LoadRequest {
  /// True when two parts of the response body can be joined into a whole.
  var isResumable: Bool {
    guard method == "GET", body == nil else { return false }
    return headers.isEmpty
      || ["Range", "If-Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since"]
        .allSatisfy { headers[$0] == nil }
  }
}
