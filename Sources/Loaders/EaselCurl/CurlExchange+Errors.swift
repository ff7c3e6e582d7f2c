import CEaselCurl
import EaselCore

/// Explains why a step failed.
extension CurlExchange {
  private var isAwaitingHead: Bool {
    if case .awaitingHead = phase { true } else { false }
  }

  private var isReceiving: Bool {
    if case .receiving = phase { true } else { false }
  }

  /// True when a kept connection failed, and the request may be sent again over a new one.
  func mayRepeatOnNewConnection(after code: CURLcode) -> Bool {
    guard !step.needsNewConnection else { return false }
    // Bytes came over the kept connection before the request was sent.
    if code == CURLE_ABORTED_BY_CALLBACK { return true }
    guard isAwaitingHead, transfer.totals.wasReused, engine.configuration.mayRepeat(step) else { return false }
    // The server either closed the idle connection at that moment, or delivered the rest of another response. curl also
    // resends by itself, but so few times in the life of an easy handle that this is not enough.
    switch code {
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2: return transfer.totals.receivedNothing
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: return true
    default: return false
    }
  }

  /// True when the connection or the server failed in the middle of a body.
  func wasBodyCut(by code: CURLcode) -> Bool {
    let codes = [
      CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM,
    ]
    return isReceiving && codes.contains(code)
  }

  /// True when the step requested the rest of a body, and nothing of it arrived.
  var hasBroughtNothingOfRest: Bool {
    guard let range = step.range, let delivery = transfer.delivery else { return false }
    return delivery.byteCount <= range.start
  }

  /// The error of a server that delivers neither the rest of a body nor the whole.
  var noWholeError: ImageError {
    let count = transfer.delivery?.byteCount ?? 0
    return ImageError(
      .truncatedBody,
      "The body ended after \(count) bytes. The server then sent neither its rest nor the whole when asked for each.",
      subject: subject, response: transfer.delivery?.head)
  }

  func slownessError(bytes: Int64) -> ImageError {
    let configuration = engine.configuration
    return ImageError(
      .timedOut,
      "The server sent \(bytes) bytes in \(configuration.leastRatePeriod), less than \(configuration.leastRate ?? 0) a "
        + "second. Lower leastRate to wait for such a server.", subject: subject, response: transfer.delivery?.head)
  }

  func silenceError() -> ImageError {
    let limit = engine.configuration.idleTimeout
    guard let delivery = transfer.delivery else {
      return ImageError(
        .timedOut, "The server did not answer within \(limit). Raise idleTimeout to wait longer.", subject: subject)
    }
    return ImageError(
      .timedOut,
      "The server sent nothing for \(limit), after \(delivery.byteCount) bytes of the body. Raise idleTimeout to wait "
        + "longer.", subject: subject)
  }

  /// The error when curl reports success although the body is incomplete; nil when the body is complete.
  ///
  /// This is a last check that does not rely on curl.
  func error(ofEnded body: IncomingBody) -> ImageError? {
    let (head, count) = (transfer.delivery?.head, body.packedCount)
    if let length = body.announcedLength, length != count {
      return ImageError(
        count < length ? .truncatedBody : .network,
        "The body has \(count) bytes, but the server announced \(length).", subject: subject, response: head,
        cause: CurlLoader.Failure(CURLE_WEIRD_SERVER_REPLY))
    }
    guard body.unpacker?.isComplete == false else { return nil }
    guard body.endsWithConnection else { return .brokenPacking(subject: subject, head) }
    return ImageError(
      .truncatedBody, "The connection was closed in the middle of the packed body, after \(count) bytes.",
      subject: subject, response: head)
  }

  /// The error of a step whose connection was cut, because it kept curl busy with useless bytes.
  func uselessBytesError(after code: CURLcode, detail: String) -> ImageError {
    ImageError(
      .limitExceeded, "The server sent many bytes that belong to no response, so the connection was closed.",
      subject: subject, response: transfer.delivery?.head, cause: CurlLoader.Failure(code, detail: detail))
  }

  func error(after code: CURLcode, detail: String) -> ImageError {
    let failure = CurlLoader.Failure(code, detail: detail)
    var error = ImageError(failure.imageCode, failure.sentence, subject: subject, cause: failure)
    if let (code, message) = specialCase(code, detail) {
      error = ImageError(code, message, subject: subject, cause: failure)
    } else if code == CURLE_URL_MALFORMAT, step.redirectCount > 0 {
      error = .noRedirectTarget(step.url, subject: subject, nil)
    }
    error.response = transfer.delivery?.head
    return error
  }

  /// Describes a failure whose reason does not follow from curl's code alone.
  private func specialCase(_ code: CURLcode, _ detail: String) -> (ImageError.Code, String)? {
    if let refusedAddress, code == CURLE_COULDNT_CONNECT {
      return (.forbiddenAddress, "The address policy forbids connections to \(refusedAddress).")
    }
    if let delivery = transfer.delivery, isReceiving {
      let count = delivery.byteCount
      if let length = delivery.head.expectedLength, wasBodyCut(by: code) {
        return (.truncatedBody, "The body ended after \(count) of \(length) bytes.")
      }
      if code == CURLE_PARTIAL_FILE {
        return (.truncatedBody, "The connection was closed after \(count) bytes, before the end of the body.")
      }
    }
    if isAwaitingHead, code == CURLE_OUT_OF_MEMORY {
      // curl reports an overlong line as a lack of memory.
      return (.limitExceeded, "A line in the head of the response is longer than the 100 kB that curl allows.")
    }
    if code == CURLE_RECV_ERROR, detail.hasPrefix("Out of memory in chunked") {
      // curl reports an overlong trailer line in the same way.
      return (.limitExceeded, "A line after the last chunk of the body is longer than the 4 kB that curl allows.")
    }
    if isAwaitingHead, code == CURLE_OK || code == CURLE_PARTIAL_FILE {
      return (.network, "The connection was closed in the middle of the head of the response.")
    }
    return nil
  }
}
